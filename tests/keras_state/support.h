/* Models that go into files and come back. */
#ifndef SNUG_TESTS_KERAS_STATE_SUPPORT_H
#define SNUG_TESTS_KERAS_STATE_SUPPORT_H

#include "keras/keras.h"
#include "lib/test.h"

/* Images of [8, 8, 3] to three probabilities: convolutions, batch normalization, a dense layer.
 * is_graph: with a sum around one of them, so that it is no chain. */
snug_model *state_model(snug_ctx *ctx, bool is_graph);

/* The same without a context of the test's, for scenarios that may fail. */
snug_status state_build(snug_ctx *ctx, bool is_graph, uint64_t seed, snug_model **out);

snug_status state_compile(snug_model *m, const char *optimizer);

/* Train on twelve images in the same order: three steps an epoch. */
snug_status state_fit(snug_model *m, int64_t epochs);

/* Compile and train a model, save it under a name, load it. */
snug_model *state_saved(snug_ctx *ctx, snug_model *m, const char *path);

/* That all weights, and all of the optimizer's states, have the same bits. */
void state_assert_same(const snug_model *a, const snug_model *b);
bool state_is_same(const snug_model *a, const snug_model *b);

/* test_path, the same for the same name: a test may ask for it as often as it likes. */
const char *state_path(const char *name);

/* The bytes of a member of an archive; to be given back with free. */
char *state_member(snug_ctx *ctx, const char *path, const char *member, size_t *bytes);

/* How many files are in the folder of a path. */
int state_count_files(const char *path);

/* Write a copy of an archive with another config, metadata and weights file. */
void state_write_archive(snug_ctx *ctx, const char *path, const char *version, const char *config,
                         const char *weights_path);

#endif
