/* One attempt with bad input: it may fail or not, but in good order.
 *
 * A failure needs a status that blames the caller or the room there is, and a message that names
 * the thing; it may take neither long nor much memory. */
#ifndef SNUG_TESTS_API_ATTEMPT_H
#define SNUG_TESTS_API_ATTEMPT_H

#include "lib/test.h"

enum { ATTEMPT_BYTES = 8 << 20, ATTEMPT_SECONDS = 5, ATTEMPT_ROWS = 2 };

/* A context of one thread that may hold ATTEMPT_BYTES. */
snug_ctx *attempt_ctx(void);

/* Forget the last message, so that the next failure has to bring its own; starts the clock. */
void attempt_begin(snug_ctx *ctx);

/* Check the outcome of an attempt: `what` tells the reader which it was, `names` are texts of which
 * the message must have one (up to NULL). */
void attempt_end(snug_ctx *ctx, snug_status s, const char *what, const char *const *names);

/* After the last attempt: fail if one of them was not in order. */
void attempt_finish(void);

/* Compile a model that was built and train it for one step of ATTEMPT_ROWS samples.  All labels are
 * 0; models of more than a few thousand values per sample are let be. */
snug_status attempt_train(snug_model *m, const snug_compile_options *o, const snug_tensor *in,
                          int32_t n_in, snug_dtype dtype, snug_tensor out) SNUG_NODISCARD;

/* Values that no key wants, and some that many do; up to NULL. */
extern const char *const attempt_values[];

#endif
