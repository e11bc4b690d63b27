/* Elements as files have them, and their way into memory. */
#ifndef SNUG_DATA_RAW_H
#define SNUG_DATA_RAW_H

#include "data/stream.h"
#include "snug/train.h"

typedef struct snug__raw {
  char kind;     /* NumPy's letter: f, i, u, b */
  int32_t bytes; /* of one element */
  bool is_big_endian;
  bool is_fortran; /* the first axis moves fastest */
} snug__raw;

/* The dtype that an element has in memory; SNUG_NO_DTYPE if there is none for it. */
snug_dtype snug__raw_dtype(const snug__raw *raw);

/* Check the elements of an array (dtype, rank and shape are set) against what the stream holds: all
 * of it, from here on.  Fails: E_FORMAT. */
snug_status snug__raw_check(snug__stream *s, const snug__raw *raw,
                            const snug_array *a) SNUG_NODISCARD;

/* Check, take memory and read the elements, in C order.  Owns: a->data is the caller's, of
 * snug__array_bytes bytes under SNUG__MEM_DATA.  Fails: as check; E_IO, E_DATA, E_MEMORY, E_LIMIT;
 * a->data is then NULL. */
snug_status snug__raw_read(snug__stream *s, const snug__raw *raw, snug_array *a) SNUG_NODISCARD;

/* Whether the bytes of the file are the bytes in memory. */
bool snug__raw_is_plain(const snug__raw *raw, const snug_array *a);

/* n elements as a file has them become elements of a dtype.  false: *bad is one that int64 does not
 * hold. */
bool snug__raw_convert(const snug__raw *raw, const void *from, int64_t n, snug_dtype dtype,
                       void *to, uint64_t *bad);

/* Bytes behind a->data, and giving them back. */
size_t snug__array_bytes(const snug_array *a);
void snug__array_give(snug_ctx *ctx, snug_array *a);

#endif
