/* Arrays: checked against the model, in memory whole before step 1 or sample by sample as they are
 * read, and copied row by row into the buffers of a program. */
#ifndef SNUG_DATA_ARRAYS_H
#define SNUG_DATA_ARRAYS_H

#include "base/ctx.h"
#include "graph/type.h"
#include "snug/train.h"

/* What arrays point to that have a shape and no values: those of a stand-in (train/stand_in.h),
 * which only a plan takes, and those whose rows a source has, while they are checked. */
extern const double snug__no_values;

#define SNUG__WHAT_BYTES 128

/* Elements of one sample, and its bytes. */
int64_t snug__array_row(const snug_array *a);
size_t snug__array_row_bytes(const snug_array *a);

/* Data as the caller gave them, in structs of this library's size. */
typedef struct snug__given {
  snug_data data;
  snug_source source;    /* that data.source points to */
  const snug_source *of; /* the same, where the caller has it; NULL: there is none */
} snug__given;

/* Take data over from a caller of any version; NULL: none at all.  *to must stay in place while it
 * is used.  Fails: E_ARGUMENT. */
snug_status snug__data_read(snug_ctx *ctx, const snug_data *from, snug__given *to) SNUG_NODISCARD;

/* The arrays of data in the order of snug_source.read: inputs, labels, weights.  Their number, that
 * of the labels among them, and one of them. */
int32_t snug__data_count(const snug_data *data);
int32_t snug__data_labels(const snug_data *data);
const snug_array *snug__data_array(const snug_data *data, int32_t k);

/* What a value of the model asks of the samples that feed it. */
typedef struct snug__demand {
  char what[SNUG__WHAT_BYTES]; /* in messages: "x[0] 'image'" */
  snug__type feeds;            /* the value; its first axis is the batch */
  const char *hint;            /* ends the message of a wrong shape: "" or "; ..." */
  bool is_class;               /* it takes class numbers: */
  int64_t classes, ignored;    /* whole, in [0, classes), or `ignored` */
} snug__demand;

/* Check an array: shape of a sample, a dtype that can be converted, as many samples as `rows`, and
 * in memory all samples: no NaN or infinity, nothing that the value's dtype could not hold, labels.
 * Of a stand-in the shape alone. */
snug_status snug__array_check(snug_ctx *ctx, const snug__demand *d, const snug_array *a,
                              int64_t rows) SNUG_NODISCARD;

/* Check one sample, number `row` of an array like a.  Fails: E_DATA, with a message in `why` (of
 * SNUG_WHY_BYTES); takes no context, so that any thread can. */
snug_status snug__sample_check(const snug__demand *d, const snug_array *a, const void *sample,
                               int64_t row, char *why) SNUG_NODISCARD;

/* Rows of an array: those that are listed, or n one after the other. */
typedef struct snug__row_list {
  const int64_t *row; /* n; NULL: they begin with `first` */
  int64_t first, n;
} snug__row_list;

static inline int64_t snug__row_at(const snug__row_list *rows, int64_t i) {
  return rows->row ? rows->row[i] : rows->first + i;
}

/* Copy samples to the places from `index` on of a buffer of type `to`, converted. */
void snug__array_copy_rows(const snug_array *a, const snug__row_list *rows, const snug__type *to,
                           void *buffer, int64_t index);

#endif
