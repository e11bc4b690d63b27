#include "pass/kernel_list.h"

#include <string.h>

#include "base/ctx.h"
#include "graph/scan.h"
#include "graph/signature.h"

#define MOST_LINES 1000000

typedef struct line {
  const char *layer;
  const snug__op *op;
  const char *kernel;
  int64_t number;
  bool met, used; /* a call of this layer and op came by; it took the kernel */
} line;

void snug__kernel_list_release(snug__kernel_list *list) {
  snug__vec_release(&list->lines);
  snug__arena_release(&list->arena);
}

/* ---- reading ---- */

static snug_status read_head(snug__scan *scan, const snug_ctx *ctx) {
  char isa[32];
  int64_t threads = 0;
  SNUG_TRY(snug__scan_line(scan));
  SNUG_TRY(snug__scan_need(scan, "snug-kernels 1"));
  SNUG_TRY(snug__scan_line_end(scan));
  SNUG_TRY(snug__scan_line(scan));
  SNUG_TRY(snug__scan_need(scan, "isa"));
  SNUG_TRY(snug__scan_word(scan, "an instruction set", isa, sizeof isa));
  SNUG_TRY(snug__scan_need(scan, "threads"));
  SNUG_TRY(snug__scan_number(scan, "a number of threads", INT32_MAX, &threads));
  SNUG_TRY(snug__scan_line_end(scan));
  if (strcmp(isa, snug__isa_text(ctx->isa)) == 0 && threads == ctx->threads) {
    return SNUG_OK;
  }
  return snug__fail(scan->ctx, SNUG_E_UNSUPPORTED,
                    "the list of kernels was made for %s and %lld threads, and here are %s and %d: "
                    "make one here, or set both as they were",
                    isa, (long long)threads, snug__isa_text(ctx->isa), ctx->threads);
}

/* Whether the op has a kernel of the name, on this device at all. */
static bool has_kernel(const snug__device *device, const snug__op *op, snug__target target,
                       const char *name) {
  const snug__kernel *k = NULL;
  for (int32_t i = 0; (k = device->kernel(op, target, i)); i++) {
    if (strcmp(k->name, name) == 0) {
      return true;
    }
  }
  return false;
}

static snug_status read_line(snug__kernel_list *list, snug__scan *scan,
                             const snug__device *device) {
  char op[SNUG__NAME_BYTES];
  char kernel[SNUG__NAME_BYTES];
  const char *layer = NULL;
  line added = {.number = scan->line};
  SNUG_TRY(snug__scan_quoted(scan, &layer));
  SNUG_TRY(snug__arena_text(&list->arena, layer, &added.layer));
  SNUG_TRY(snug__scan_word(scan, "the name of an op", op, sizeof op));
  SNUG_TRY(snug__scan_word(scan, "the name of a kernel", kernel, sizeof kernel));
  SNUG_TRY(snug__scan_line_end(scan));
  added.op = snug__op_find(op);
  if (!added.op) {
    return snug__scan_fail(scan, "there is no op '%s'", op);
  }
  if (!has_kernel(device, added.op, list->ctx->target, kernel)) {
    return snug__fail(list->ctx, SNUG_E_UNSUPPORTED,
                      "line %lld: %s has no kernel '%s' on this machine", (long long)scan->line, op,
                      kernel);
  }
  SNUG_TRY(snug__arena_text(&list->arena, kernel, &added.kernel));
  return snug__vec_push(&list->lines, &added, 1);
}

static snug_status read_all(snug__kernel_list *list, snug__scan *scan, const snug__device *device) {
  SNUG_TRY(read_head(scan, list->ctx));
  SNUG_TRY(snug__scan_line(scan));
  while (!snug__scan_has(scan, "end")) {
    SNUG_TRY(read_line(list, scan, device));
    SNUG_TRY(snug__scan_line(scan));
  }
  SNUG_TRY(snug__scan_line_end(scan));
  return snug__scan_at_end(scan) ? SNUG_OK : snug__scan_fail(scan, "there is text after the end");
}

snug_status snug__kernel_list_read(snug__kernel_list *list, snug_ctx *ctx,
                                   const snug__device *device, const char *text) {
  snug__scan scan = {0};
  *list = (snug__kernel_list){.ctx = ctx};
  snug__arena_init(&list->arena, ctx, SNUG__MEM_PROGRAM);
  snug__vec_init(&list->lines, ctx, SNUG__MEM_PROGRAM, sizeof(line), MOST_LINES);
  snug_status s = snug__scan_init(&scan, ctx, text);
  s = s ? s : read_all(list, &scan, device);
  snug__scan_release(&scan);
  if (s) {
    snug__kernel_list_release(list);
    return snug__fail_within(ctx, s, "kernels");
  }
  return SNUG_OK;
}

/* ---- choosing ---- */

bool snug__kernel_list_choose(snug__kernel_list *list, const snug__device *device,
                              const char *layer, snug__signature *sig, snug__choice *out) {
  for (size_t i = 0; i < list->lines.n; i++) {
    line *l = &SNUG_VEC(&list->lines, line, i);
    if (l->op != sig->op || strcmp(l->layer, layer) != 0) {
      continue;
    }
    l->met = true;
    if (snug__choose_named(device, sig, l->kernel, out)) {
      l->used = true;
      return true;
    }
  }
  return false;
}

snug_status snug__kernel_list_check(const snug__kernel_list *list) {
  for (size_t i = 0; i < list->lines.n; i++) {
    const line *l = &SNUG_VEC(&list->lines, line, i);
    if (!l->met) {
      return snug__fail(list->ctx, SNUG_E_ARGUMENT,
                        "kernels: line %lld: there is no %s in a layer '%s' of this step",
                        (long long)l->number, l->op->name, l->layer);
    }
    if (!l->used) {
      return snug__fail(list->ctx, SNUG_E_ARGUMENT,
                        "kernels: line %lld: %s cannot run the %s of '%s' in these shapes",
                        (long long)l->number, l->kernel, l->op->name, l->layer);
    }
  }
  return SNUG_OK;
}

/* ---- printing ---- */

/* The name of a node's kernel; NULL if there is nothing to choose. */
static const char *kernel_of(const snug__graph *g, const snug__device *device,
                             const snug__node *node) {
  snug__type in[SNUG__MAX_IN];
  snug__type out[SNUG__MAX_OUT];
  snug__choice choice;
  snug__signature sig = snug__signature_of(g, node, in, out);
  snug__choose(device, &sig, &choice);
  return choice.kernel && choice.kernel->scratch ? choice.kernel->name : NULL;
}

/* Whether a line says this already: what is recomputed runs as it did. */
static bool is_told(const snug__vec *lines, const line *new) {
  for (size_t i = 0; i < lines->n; i++) {
    const line *l = &SNUG_VEC(lines, line, i);
    if (l->op == new->op && l->kernel == new->kernel &&strcmp(l->layer, new->layer) == 0) {
      return true;
    }
  }
  return false;
}

static snug_status print_lines(const snug__graph *g, const snug__device *device, snug__vec *lines,
                               snug__text *out) {
  for (snug__id id = 0; id < g->nodes.n; id++) {
    const snug__node *node = snug__node_at(g, id);
    const bool is_view = (node->op->flags & SNUG__OP_VIEW) != 0;
    const line one = {.layer = snug__layer_name(g, node->layer),
                      .op = node->op,
                      .kernel = is_view ? NULL : kernel_of(g, device, node)};
    if (one.kernel && !is_told(lines, &one)) {
      SNUG_TRY(snug__vec_push(lines, &one, 1));
      SNUG_TRY(snug__print_quoted(one.layer, out));
      SNUG_TRY(snug__text_add(out, " %s %s\n", node->op->name, one.kernel));
    }
  }
  return SNUG_OK;
}

snug_status snug__kernel_list_print(const snug__graph *g, const snug__device *device,
                                    snug__text *out) {
  snug__vec lines;
  snug__vec_init(&lines, g->ctx, SNUG__MEM_SCRATCH, sizeof(line), MOST_LINES);
  snug_status s = snug__text_add(out, "snug-kernels 1\nisa %s threads %d\n",
                                 snug__isa_text(g->ctx->isa), g->ctx->threads);
  s = s ? s : print_lines(g, device, &lines, out);
  snug__vec_release(&lines);
  return s ? s : snug__text_add(out, "end\n");
}
