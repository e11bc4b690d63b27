/* A recorder whose memory is taken before its file is there: a plan counts the one and must not
 * make the other. */
#ifndef SNUG_RECORD_RECORDER_H
#define SNUG_RECORD_RECORDER_H

#include "base/ctx.h"
#include "snug/tools/record.h"

/* Take the memory.  Ended by snug_recorder_close.  Fails: E_MEMORY, E_LIMIT. */
snug_status snug__recorder_create(snug_ctx *ctx, snug_recorder **out) SNUG_NODISCARD;

/* Make the file.  Fails: E_IO; it may be tried again. */
snug_status snug__recorder_begin(snug_recorder *r, const char *path, bool replace) SNUG_NODISCARD;

/* Go on with the file of a recording that was cut or closed, or make it.  *seconds: of its last
 * moment.  Fails: E_IO, E_DATA (not a recording). */
snug_status snug__recorder_resume(snug_recorder *r, const char *path,
                                  double *seconds) SNUG_NODISCARD;

/* In facts.c: a fact that is a number. */
snug_status snug__recorder_number(snug_recorder *r, const char *name,
                                  uint64_t value) SNUG_NODISCARD;
snug_status snug__recorder_real(snug_recorder *r, const char *name, double value) SNUG_NODISCARD;

/* A fact that is this moment, as ISO 8601 has it. */
snug_status snug__recorder_now(snug_recorder *r, const char *name) SNUG_NODISCARD;

#endif
