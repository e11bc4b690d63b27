/* A recorder whose memory is taken before its file is there: a plan counts the one and must not
 * make the other. */
#ifndef SNUG_RECORD_RECORDER_H
#define SNUG_RECORD_RECORDER_H

#include "base/ctx.h"
#include "snug/record.h"

/* Take the memory.  Ended by snug_recorder_close.  Fails: E_MEMORY, E_LIMIT. */
snug_status snug__recorder_create(snug_ctx *ctx, snug_recorder **out) SNUG_NODISCARD;

/* Make the file.  Fails: E_IO; it may be tried again. */
snug_status snug__recorder_begin(snug_recorder *r, const char *path, bool replace) SNUG_NODISCARD;

snug_ctx *snug__recorder_ctx(const snug_recorder *r);

/* In facts.c: a fact that is a number. */
snug_status snug__recorder_number(snug_recorder *r, const char *name,
                                  uint64_t value) SNUG_NODISCARD;
snug_status snug__recorder_real(snug_recorder *r, const char *name, double value) SNUG_NODISCARD;

/* "run.began": now. */
snug_status snug__recorder_began(snug_recorder *r) SNUG_NODISCARD;

#endif
