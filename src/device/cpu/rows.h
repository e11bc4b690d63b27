/* What kernels share that go through one or two broadcast inputs in the order of their output.
 *
 * The output is seen as rows of one length.  Along a row an input steps by one element or stays;
 * from row to row it moves on by a fixed distance, as long as the rows are those of one plane. */
#ifndef SNUG_DEVICE_CPU_ROWS_H
#define SNUG_DEVICE_CPU_ROWS_H

#include "device/device.h"
#include "ops/zip.h"

/* A number of rows of a plane: element c of row r is made of a[r * a_row + c * (step of a)] and the
 * same of b; rows of the output follow each other. */
typedef struct snug__plane {
  const float *a, *b;
  float *out;
  int64_t rows, columns;
  int64_t a_row, b_row;
} snug__plane;

typedef void snug__plane_body(const snug__plane *p);

/* The bodies for inputs that step or stay: [a steps][b steps]. */
typedef struct snug__plane_bodies {
  snug__plane_body *of[2][2];
} snug__plane_bodies;

typedef struct snug__rows {
  snug__zip zip; /* of two inputs; one that is not there stays */
  snug__plane_body *body;
  int64_t n;       /* rows in all; of one plane alone: its elements */
  int64_t columns; /* of a row */
  float scalar;    /* takes the place of an input that is not there */
} snug__rows;

/* Halves of a kernel. */
snug_status snug__rows_prepare(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                               const snug__plane_bodies *bodies, float scalar,
                               void **state) SNUG_NODISCARD;
snug_status snug__rows_run(const void *state, const snug__call *call);
void snug__rows_release(snug_ctx *ctx, void *state);

#endif
