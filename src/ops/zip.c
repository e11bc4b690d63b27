#include "ops/zip.h"

#include "ops/support.h"

/* Can axis k+1 be walked as the continuation of the last merged axis? */
static bool continues(const snug__zip *z, int64_t strides[][SNUG_MAX_RANK], int32_t k,
                      int64_t size) {
  for (int32_t i = 0; i < z->n; i++) {
    if (z->stride[i][z->rank - 1] != strides[i][k] * size) {
      return false;
    }
  }
  return true;
}

static void add_axis(snug__zip *z, int64_t strides[][SNUG_MAX_RANK], int32_t k, int64_t size) {
  bool merge = z->rank > 0 && continues(z, strides, k, size);
  int32_t at = merge ? z->rank - 1 : z->rank++;
  z->dim[at] = merge ? z->dim[at] * size : size;
  for (int32_t i = 0; i < z->n; i++) {
    z->stride[i][at] = strides[i][k];
  }
}

snug__zip snug__zip_of(const snug__type *out, const snug__type *in, int32_t n) {
  snug__zip z = {.n = n};
  int64_t strides[SNUG__ZIP_MAX][SNUG_MAX_RANK];
  for (int32_t i = 0; i < n; i++) {
    snug__broadcast_strides(&in[i], out, strides[i]);
  }
  for (int32_t k = 0; k < out->rank; k++) {
    if (out->dim[k] != 1) {
      add_axis(&z, strides, k, out->dim[k]);
    }
  }
  if (z.rank == 0) { /* one element */
    z.dim[z.rank++] = 1;
  }
  return z;
}

/* Go to the row after this one: the axes but the last count like an odometer. */
static void next_row(const snug__zip *z, int64_t index[SNUG_MAX_RANK], snug__zip_row *row) {
  for (int32_t k = z->rank - 2; k >= 0; k--) {
    bool carry = ++index[k] == z->dim[k];
    for (int32_t i = 0; i < z->n; i++) {
      row->at[i] += carry ? z->stride[i][k] * (1 - z->dim[k]) : z->stride[i][k];
    }
    if (!carry) {
      return;
    }
    index[k] = 0;
  }
}

/* The row of element `begin`, from its first column on. */
static void first_row(const snug__zip *z, int64_t begin, int64_t index[SNUG_MAX_RANK],
                      snug__zip_row *row) {
  int64_t rest = begin / z->dim[z->rank - 1];
  for (int32_t k = z->rank - 2; k >= 0; k--) {
    index[k] = rest % z->dim[k];
    rest /= z->dim[k];
    for (int32_t i = 0; i < z->n; i++) {
      row->at[i] += index[k] * z->stride[i][k];
    }
  }
  for (int32_t i = 0; i < z->n; i++) {
    row->step[i] = z->stride[i][z->rank - 1];
  }
}

static void move_columns(const snug__zip *z, snug__zip_row *row, int64_t columns) {
  for (int32_t i = 0; i < z->n; i++) {
    row->at[i] += columns * row->step[i];
  }
}

void snug__zip_walk(const snug__zip *z, int64_t begin, int64_t end, snug__zip_body *row,
                    const void *arg) {
  int64_t index[SNUG_MAX_RANK] = {0};
  snug__zip_row piece = {{0}, {0}, begin, 0};
  if (begin >= end) {
    return;
  }
  int64_t columns = z->dim[z->rank - 1];
  int64_t column = begin % columns; /* the first row alone may begin in its middle */
  first_row(z, begin, index, &piece);
  move_columns(z, &piece, column);
  while (piece.out < end) {
    piece.n = snug__min_i64(columns - column, end - piece.out);
    row(arg, &piece);
    piece.out += piece.n;
    if (column) {
      move_columns(z, &piece, -column);
      column = 0;
    }
    next_row(z, index, &piece);
  }
}
