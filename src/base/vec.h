/* A bounded growable array.  The maximum is given at init; growing past it is a failure, not a
 * crash. init cannot fail and allocates nothing; release leaves an empty array that may be used
 * again. */
#ifndef SNUG_BASE_VEC_H
#define SNUG_BASE_VEC_H

#include "base/ctx.h"

typedef struct snug__vec {
  snug_ctx *ctx;
  snug__account_name name;
  void *data;
  size_t n;        /* elements in use */
  size_t capacity; /* elements there is room for */
  size_t max;      /* elements there may ever be */
  size_t element;  /* bytes of one */
} snug__vec;

void snug__vec_init(snug__vec *v, snug_ctx *ctx, snug__account_name name, size_t element,
                    size_t max);
void snug__vec_release(snug__vec *v);

/* Append n elements copied from src (zeroed if src is NULL).  Fails: E_OVERFLOW past the maximum,
 * E_MEMORY, E_LIMIT; unchanged. */
snug_status snug__vec_push(snug__vec *v, const void *src, size_t n) SNUG_NODISCARD;

/* Make room for n more elements, so that pushing them cannot fail.  Fails as push does; unchanged.
 */
snug_status snug__vec_reserve(snug__vec *v, size_t n) SNUG_NODISCARD;

/* The element i as an lvalue of type T. */
#define SNUG_VEC(v, T, i) (((T *)(v)->data)[i])

#endif
