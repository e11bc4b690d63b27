/* A short recording with everything in it, and files as bytes. */
#ifndef SNUG_TESTS_RECORD_SOME_H
#define SNUG_TESTS_RECORD_SOME_H

#include "lib/test.h"

enum { SOME_MOMENTS = 12, SOME_EPOCHS = 2, SOME_PIECES = 3 };

/* Open a recording to write or to read; the test fails if that does. */
snug_recorder *some_begin(snug_ctx *ctx, const char *path);
snug_recording *some_read(snug_ctx *ctx, const char *path);

/* The moment i of it. */
snug_moment some_moment(size_t i);

/* Record it, frame by frame, up to `steps` calls (-1: all, and close). */
snug_status some_record(snug_ctx *ctx, const char *path, int steps) SNUG_NODISCARD;

/* Whether what was read is a beginning of it; all of it if it is closed.  Fails the test if not. */
void some_check(const snug_recording *r);

/* A file's bytes, and back; `bytes` has room for SOME_MOST. */
enum { SOME_MOST = 1 << 16 };
size_t some_load(const char *path, uint8_t *bytes);
void some_store(const char *path, const uint8_t *bytes, size_t n);

#endif
