/* `.npy` of format 1.0, as numpy.save writes it. */
#include "data/npy_write.h"

#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "data/arrays.h"

#define HEADER_BYTES 256 /* room for the longest; it is a multiple of ALIGN long */
#define ALIGN 64
#define PIECE 4096

/* NumPy has no bfloat16: float32 holds its values exactly. */
static snug_dtype written_as(snug_dtype dtype) {
  return dtype == SNUG_BFLOAT16 ? SNUG_FLOAT32 : dtype;
}

static const char *descr(snug_dtype dtype) {
  static const char *const texts[SNUG_DTYPE_COUNT] = {
      [SNUG_FLOAT32] = "<f4",  [SNUG_FLOAT64] = "<f8", [SNUG_FLOAT16] = "<f2",
      [SNUG_BFLOAT16] = "<f4", [SNUG_INT8] = "|i1",    [SNUG_INT32] = "<i4",
      [SNUG_INT64] = "<i8",    [SNUG_UINT8] = "|u1",   [SNUG_BOOL] = "|b1",
  };
  return texts[dtype];
}

snug_status snug__npy_check(snug_ctx *ctx, const char *what, const snug_array *a) {
  snug__type t;
  if (!a || !a->data || a->rank < 0 || a->rank > SNUG_MAX_RANK || a->dtype <= SNUG_NO_DTYPE ||
      a->dtype >= SNUG_DTYPE_COUNT) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: there is no array to save", what);
  }
  t = snug__type_of(written_as(a->dtype), a->rank, a->shape);
  return snug__type_is_valid(&t)
             ? SNUG_OK
             : snug__fail(ctx, SNUG_E_SHAPE, "%s: its shape is negative or too large", what);
}

static int64_t count(const snug_array *a) {
  int64_t n = 1;
  for (int32_t i = 0; i < a->rank; i++) {
    n *= a->shape[i];
  }
  return n;
}

/* The header, with blanks up to where elements may start; returns its length. */
static size_t header(const snug_array *a, char out[HEADER_BYTES]) {
  size_t n = 10;
  n += (size_t)snprintf(out + n, HEADER_BYTES - n,
                        "{'descr': '%s', 'fortran_order': False, 'shape': (", descr(a->dtype));
  for (int32_t i = 0; i < a->rank; i++) {
    n += (size_t)snprintf(out + n, HEADER_BYTES - n, "%s%lld", i ? ", " : "",
                          (long long)a->shape[i]);
  }
  n += (size_t)snprintf(out + n, HEADER_BYTES - n, a->rank == 1 ? ",), }" : "), }");
  size_t end = (size_t)snug__round_up((int64_t)n + 1, ALIGN);
  memset(out + n, ' ', end - n);
  out[end - 1] = '\n';
  size_t text = end - 10;
  memcpy(out, "\x93NUMPY\1\0", 8);
  out[8] = (char)(text & 0xFF);
  out[9] = (char)(text >> 8);
  return end;
}

int64_t snug__npy_bytes(const snug_array *a) {
  char text[HEADER_BYTES];
  return (int64_t)header(a, text) + count(a) * (int64_t)snug_dtype_bytes(written_as(a->dtype));
}

static snug_status emit_converted(const snug_array *a, snug__npy_put *put, void *user) {
  float piece[PIECE];
  int64_t total = count(a);
  for (int64_t at = 0; at < total; at += PIECE) {
    int64_t n = snug__min_i64(total - at, PIECE);
    for (int64_t i = 0; i < n; i++) {
      piece[i] = (float)snug__element_get(a->dtype, a->data, at + i);
    }
    SNUG_TRY(put(user, piece, (size_t)n * sizeof *piece));
  }
  return SNUG_OK;
}

snug_status snug__npy_emit(const snug_array *a, snug__npy_put *put, void *user) {
  char text[HEADER_BYTES];
  SNUG_TRY(put(user, text, header(a, text)));
  return written_as(a->dtype) == a->dtype
             ? put(user, a->data, (size_t)count(a) * snug_dtype_bytes(a->dtype))
             : emit_converted(a, put, user);
}

static snug_status put_to_file(void *user, const void *bytes, size_t n) {
  return snug__replace_write(user, bytes, n);
}

snug_status snug_npy_save(snug_ctx *ctx, const char *path, const snug_array *a) {
  snug__replace r;
  if (!ctx) {
    return SNUG_E_ARGUMENT;
  }
  if (!path) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "no file to save to was given (NULL)");
  }
  SNUG_TRY(snug__npy_check(ctx, path, a));
  SNUG_TRY(snug__replace_begin(&r, ctx, path));
  snug_status status = snug__npy_emit(a, put_to_file, &r);
  if (status) {
    snug__replace_abandon(&r);
    return status;
  }
  return snug__replace_commit(&r);
}
