#include "data/raw.h"

#include <string.h>

#include "base/size.h"
#include "data/arrays.h"

#define PIECE_BYTES 16384

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "memory holds low bytes first");

static const struct {
  char kind;
  int32_t bytes;
  snug_dtype dtype;
} kinds[] = {
    {'f', 2, SNUG_FLOAT16}, {'f', 4, SNUG_FLOAT32}, {'f', 8, SNUG_FLOAT64}, {'i', 1, SNUG_INT8},
    {'i', 2, SNUG_INT32},   {'i', 4, SNUG_INT32},   {'i', 8, SNUG_INT64},   {'u', 1, SNUG_UINT8},
    {'u', 2, SNUG_INT32},   {'u', 4, SNUG_INT64},   {'u', 8, SNUG_INT64},   {'b', 1, SNUG_BOOL},
};

snug_dtype snug__raw_dtype(const snug__raw *raw) {
  for (size_t i = 0; i < SNUG_COUNT(kinds); i++) {
    if (kinds[i].kind == raw->kind && kinds[i].bytes == raw->bytes) {
      return kinds[i].dtype;
    }
  }
  return SNUG_NO_DTYPE;
}

static int64_t count(const snug_array *a) { return a->shape[0] * snug__array_row(a); }

size_t snug__array_bytes(const snug_array *a) {
  return (size_t)count(a) * snug_dtype_bytes(a->dtype);
}

void snug__array_give(snug_ctx *ctx, snug_array *a) {
  snug__give(ctx, SNUG__MEM_DATA, (void *)(uintptr_t)a->data, snug__array_bytes(a));
  a->data = NULL;
}

snug_status snug__raw_check(snug__stream *s, const snug__raw *raw, const snug_array *a) {
  snug__type t = snug__type_of(a->dtype, a->rank, a->shape);
  int64_t bytes = 0;
  if (!snug__type_is_valid(&t) || !snug__mul_i64(count(a), raw->bytes, &bytes)) {
    return snug__stream_fail(s, SNUG_E_FORMAT, "its header says a shape that no memory can hold");
  }
  if (bytes > s->left) {
    return snug__stream_fail(s, SNUG_E_FORMAT,
                             "its header says %lld bytes, the file has %lld: it is cut or damaged",
                             (long long)bytes, (long long)s->left);
  }
  if (s->is_exact && bytes < s->left) {
    return snug__stream_fail(s, SNUG_E_FORMAT,
                             "has %lld bytes more than its header says; save each array on its own",
                             (long long)(s->left - bytes));
  }
  return SNUG_OK;
}

bool snug__raw_is_plain(const snug__raw *raw, const snug_array *a) {
  bool is_swapped = raw->is_big_endian && raw->bytes > 1;
  bool is_in_order = !raw->is_fortran || a->rank < 2;
  return !is_swapped && is_in_order && raw->kind != 'b' &&
         raw->bytes == (int32_t)snug_dtype_bytes(a->dtype) &&
         !(raw->kind == 'u' && raw->bytes == 8);
}

static uint64_t bits_of(const snug__raw *raw, const unsigned char *from) {
  uint64_t bits = 0;
  for (int32_t i = 0; i < raw->bytes; i++) {
    bits |= (uint64_t)from[raw->is_big_endian ? raw->bytes - 1 - i : i] << (8 * i);
  }
  if (raw->kind == 'i' && bits >> (8 * raw->bytes - 1)) {
    bits |= raw->bytes < 8 ? UINT64_MAX << (8 * raw->bytes) : 0; /* the sign goes on */
  }
  return raw->kind == 'b' ? bits != 0 : bits;
}

bool snug__raw_convert(const snug__raw *raw, const void *from, int64_t n, snug_dtype dtype,
                       void *to, uint64_t *bad) {
  const unsigned char *src = from;
  char *dst = to;
  size_t element = snug_dtype_bytes(dtype);
  for (int64_t i = 0; i < n; i++, src += raw->bytes, dst += element) {
    uint64_t bits = bits_of(raw, src);
    if (raw->kind == 'u' && bits > INT64_MAX) {
      *bad = bits;
      return false;
    }
    memcpy(dst, &bits, element);
  }
  return true;
}

/* Where the next element goes: through the axes of a row-major array, first one fastest. */
typedef struct walk {
  const snug_array *a;
  int64_t index[SNUG_MAX_RANK], stride[SNUG_MAX_RANK];
  int64_t at;
  bool is_fortran;
} walk;

static walk walk_begin(const snug_array *a, bool is_fortran) {
  walk w = {.a = a, .is_fortran = is_fortran};
  int64_t stride = 1;
  for (int32_t k = a->rank - 1; k >= 0; k--) {
    w.stride[k] = stride;
    stride *= a->shape[k];
  }
  return w;
}

static void walk_step(walk *w) {
  if (!w->is_fortran) {
    w->at++;
    return;
  }
  for (int32_t k = 0; k < w->a->rank; k++) {
    w->at += w->stride[k];
    if (++w->index[k] < w->a->shape[k]) {
      return;
    }
    w->at -= w->stride[k] * w->a->shape[k];
    w->index[k] = 0;
  }
}

static snug_status convert(snug__stream *s, const snug__raw *raw, const snug_array *a, char *dst) {
  unsigned char piece[PIECE_BYTES];
  size_t element = snug_dtype_bytes(a->dtype);
  walk w = walk_begin(a, raw->is_fortran);
  for (int64_t left = count(a), n; left > 0; left -= n) {
    n = snug__min_i64(left, PIECE_BYTES / raw->bytes);
    SNUG_TRY(snug__stream_read(s, piece, (size_t)(n * raw->bytes)));
    for (int64_t i = 0; i < n; i++, walk_step(&w)) {
      uint64_t bad = 0;
      if (!snug__raw_convert(raw, piece + i * raw->bytes, 1, a->dtype, dst + (size_t)w.at * element,
                             &bad)) {
        return snug__stream_fail(
            s, SNUG_E_DATA, "has the value %llu, which int64 does not hold; save it as float64",
            (unsigned long long)bad);
      }
    }
  }
  return SNUG_OK;
}

snug_status snug__raw_read(snug__stream *s, const snug__raw *raw, snug_array *a) {
  SNUG_TRY(snug__raw_check(s, raw, a));
  size_t bytes = snug__array_bytes(a);
  /* Not zeroed: a file that lies about its size does not get pages that it does not fill. */
  char *dst = snug__realloc(s->ctx, SNUG__MEM_DATA, NULL, 0, bytes ? bytes : 1);
  if (!dst) {
    return snug__stream_within(s, snug__refuse(s->ctx, SNUG__MEM_DATA, bytes));
  }
  snug_status status =
      snug__raw_is_plain(raw, a) ? snug__stream_read(s, dst, bytes) : convert(s, raw, a, dst);
  a->data = dst;
  status = status ? status : snug__stream_end(s);
  if (status) {
    snug__array_give(s->ctx, a);
  }
  return status;
}
