/* A list of kernels by layer and op, as text: which implementations a step runs, and fixing them
 * again.
 *
 *   snug-kernels 1
 *   isa avx512 threads 2
 *   "conv1" conv2d_epilogue wino_conv2d_epilogue
 *   "conv1" conv2d_bwd_weights dnn_conv2d_bwd_weights
 *   end
 *
 * It has what there is a choice of.  All else follows from version, instruction set and threads:
 * with these and the list the same, a step has the same bits.  A node takes the first kernel that
 * stands for its layer and op and fits it, and where nothing does, as if there were no list. */
#ifndef SNUG_PASS_KERNEL_LIST_H
#define SNUG_PASS_KERNEL_LIST_H

#include "base/text.h"
#include "device/device.h"

typedef struct snug__kernel_list {
  snug_ctx *ctx;
  snug__arena arena;
  snug__vec lines; /* private */
} snug__kernel_list;

/* Read a list for the context's instruction set and threads.  Owns: ended by
 * snug__kernel_list_release.  Fails: E_FORMAT naming the line; E_UNSUPPORTED for a list that was
 * made for others, and for kernels that this device does not have; E_MEMORY; nothing is owed then.
 */
snug_status snug__kernel_list_read(snug__kernel_list *list, snug_ctx *ctx,
                                   const snug__device *device, const char *text) SNUG_NODISCARD;
void snug__kernel_list_release(snug__kernel_list *list);

/* The choice that the list makes for a call of a layer; sets sig->kernel.  False: it makes none. */
bool snug__kernel_list_choose(snug__kernel_list *list, const snug__device *device,
                              const char *layer, snug__signature *sig, snug__choice *out);

/* Fails with E_ARGUMENT, naming the line, if a line never had a say since the list was read: there
 * is no such layer, or no such op in it, or the kernel cannot run it. */
snug_status snug__kernel_list_check(const snug__kernel_list *list) SNUG_NODISCARD;

/* Print the list of a laid out graph.  Fails: E_MEMORY. */
snug_status snug__kernel_list_print(const snug__graph *g, const snug__device *device,
                                    snug__text *out) SNUG_NODISCARD;

#endif
