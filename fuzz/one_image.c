#include <stdlib.h>
#include <string.h>

#include "image/readers.h"
#include "image/recipe.h"
#include "one.h"
#include "rules.h"

#define SIDE 24
#define MOST_DECODE_BYTES \
  ((size_t)8 << 20) /* larger ones are refused, so that an input ends soon */

static void check(snug_status s, const snug__why *why) {
  if (s == SNUG_E_INTERNAL || (s && !why->text[0]) ||
      strnlen(why->text, sizeof why->text) == sizeof why->text) {
    fuzz_fail("a failure without a text, or of ours");
  }
}

/* Read it with no more memory than its header asks for. */
static void read_image(const uint8_t *data, size_t bytes, const snug__recipe *r) {
  snug__input in = snug__input_of(data, bytes);
  snug__image_info info;
  snug__why why = {{0}};
  snug__image_worker w;
  float *sample = calloc(1, snug__recipe_sample_bytes(r));
  snug__image_turn turn = {true, 1, 2, 3};
  snug_status s = snug__image_probe(&in, &info, &why);
  check(s, &why);
  size_t memory_bytes = s ? 0 : snug__worker_bytes(r, info.decode_bytes);
  void *memory = s || info.decode_bytes > MOST_DECODE_BYTES ? NULL : malloc(memory_bytes);
  if (memory) {
    snug_ctx *ctx = fuzz_begin();
    snug__readers *readers = NULL;
    if (snug__readers_create(ctx, 1, &readers)) {
      fuzz_fail(snug_message(ctx));
    }
    check(snug__worker_begin(&w, r, memory, memory_bytes, &why), &why);
    s = snug__worker_read(&w, snug__readers_take(readers), &in, &turn, sample, &why);
    check(s, &why);
    if (s == SNUG_E_LIMIT && strstr(why.text, "memory")) {
      fuzz_fail("an image needs more memory than its header says");
    }
    snug__readers_destroy(readers);
    fuzz_end(ctx);
  }
  free(memory);
  free(sample);
}

void fuzz_one_image(const uint8_t *data, size_t bytes) {
  uint8_t sum = 0;
  for (size_t i = 0; i < bytes; i++) {
    sum = (uint8_t)(sum * 31 + data[i]);
  }
  snug__recipe r = snug__recipe_of(SIDE, SIDE, sum % 3 == 0 ? 1 : sum % 3 == 1 ? 3 : 4);
  r.load.interpolation = (snug__interpolation)(sum / 3 % 3);
  r.load.aspect = (snug__aspect)(sum / 9 % 4);
  r.load.decode = (snug__jpeg_decode)(sum / 36 % 3);
  read_image(data, bytes, &r);
}
