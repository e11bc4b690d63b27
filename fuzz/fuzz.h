/* What the fuzzers share: a context whose memory is bounded, and the bound that a hostile file must
 * keep. */
#ifndef SNUG_FUZZ_FUZZ_H
#define SNUG_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snug/snug.h"

#define FUZZ_LIMIT ((uint64_t)256 << 20) /* so that honest large models end soon */
#define FUZZ_SPARE ((uint64_t)64 << 20)  /* what a file may cost beside its weights */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed);

static inline _Noreturn void fuzz_fail(const char *what) {
  fprintf(stderr, "fuzz: %s\n", what);
  abort();
}

static inline snug_ctx *fuzz_ctx(void) {
  snug_options options = {.memory_limit = FUZZ_LIMIT, .threads = 1};
  snug_ctx *ctx = NULL;
  if (snug_ctx_create(&options, &ctx) != SNUG_OK) {
    fuzz_fail("no context");
  }
  return ctx;
}

/* Everything made from the context is gone, and at its highest it held little beside weights. */
static inline void fuzz_end(snug_ctx *ctx) {
  snug_memory_info memory;
  uint64_t weights = 0;
  snug_memory_get(ctx, &memory);
  for (size_t i = 0; i < snug_memory_names(ctx); i++) {
    snug_memory_entry entry;
    snug_memory_entry_get(ctx, i, &entry);
    if (strcmp(entry.name, "weights") == 0) {
      weights = entry.at_peak;
    } else if (strcmp(entry.name, "context") != 0 && entry.current) {
      fuzz_fail("memory is left over");
    }
  }
  if (memory.peak > FUZZ_SPARE + 4 * weights) {
    fuzz_fail("more memory than the weights need");
  }
  snug_ctx_destroy(ctx);
}

/* A failure has a message that names the file. */
static inline void fuzz_check(snug_ctx *ctx, snug_status s, const char *file) {
  if (s == SNUG_E_INTERNAL) {
    fuzz_fail(snug_message(ctx));
  }
  if (s && s != SNUG_E_MEMORY && s != SNUG_E_LIMIT && !strstr(snug_message(ctx), file)) {
    fprintf(stderr, "%s\n", snug_message(ctx));
    fuzz_fail("a message without the file");
  }
}

#endif
