/* The headers of `.npy` and IDX: what array follows. */
#ifndef SNUG_DATA_NPY_H
#define SNUG_DATA_NPY_H

#include "data/raw.h"

/* Read the header of a `.npy` (format 1.0, 2.0, 3.0) or IDX stream; the elements come next, and
 * there are as many as it says.  *out has dtype and shape.  Fails: E_FORMAT, E_IO, E_UNSUPPORTED
 * (texts, objects, records, complex numbers, dates, no axes or too many), E_MEMORY, E_LIMIT. */
snug_status snug__array_header(snug__stream *s, snug__raw *raw, snug_array *out) SNUG_NODISCARD;

#define SNUG__MAGIC_READ 4

/* The two forms of it, behind the first bytes. */
snug_status snug__npy_header(snug__stream *s, snug__raw *raw, snug_array *out) SNUG_NODISCARD;
snug_status snug__idx_header(snug__stream *s, const unsigned char first[SNUG__MAGIC_READ],
                             snug__raw *raw, snug_array *out) SNUG_NODISCARD;

#endif
