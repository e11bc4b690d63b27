#include "rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT ((uint64_t)256 << 20) /* so that honest large models end soon */
#define SPARE ((uint64_t)64 << 20)  /* what a file may cost beside its weights */

void fuzz_fail(const char *what) {
  fprintf(stderr, "fuzz: %s\n", what);
  abort();
}

snug_ctx *fuzz_begin(void) {
  snug_options options = {.struct_size = sizeof options, .memory_limit = LIMIT, .threads = 1};
  snug_ctx *ctx = NULL;
  if (snug_ctx_create(&options, &ctx) != SNUG_OK) {
    fuzz_fail("no context");
  }
  return ctx;
}

void fuzz_check(snug_ctx *ctx, snug_status s, const char *file) {
  const char *message = snug_message(ctx);
  if (s == SNUG_E_INTERNAL) {
    fuzz_fail(message);
  }
  if (s && s != SNUG_E_MEMORY && s != SNUG_E_LIMIT && !strstr(message, file)) {
    fprintf(stderr, "fuzz: a message without the file: ");
    fuzz_fail(message);
  }
}

void fuzz_end(snug_ctx *ctx) {
  snug_memory_info memory = SNUG_INIT(snug_memory_info);
  uint64_t weights = 0;
  snug_memory_get(ctx, &memory);
  for (size_t i = 0; i < snug_memory_names(ctx); i++) {
    snug_memory_entry entry = SNUG_INIT(snug_memory_entry);
    snug_memory_entry_get(ctx, i, &entry);
    if (strcmp(entry.name, "weights") == 0) {
      weights = entry.at_peak;
    }
    if (strcmp(entry.name, "context") != 0 && entry.current) {
      fuzz_fail("memory is left over");
    }
  }
  if (memory.peak > SPARE + 4 * weights) {
    fprintf(stderr, "fuzz: %llu bytes, of them weights: %llu\n", (unsigned long long)memory.peak,
            (unsigned long long)weights);
    fuzz_fail("more memory than the weights need");
  }
  snug_ctx_destroy(ctx);
}
