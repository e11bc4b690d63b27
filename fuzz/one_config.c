#include <stdlib.h>
#include <string.h>

#include "keras/config.h"
#include "one.h"
#include "rules.h"

static void build(snug_ctx *ctx, const char *text, size_t bytes) {
  snug_load_options options = SNUG_INIT(snug_load_options);
  snug_model *model = NULL;
  snug_status s = snug__keras_build(ctx, "file.keras", text, bytes, "3.15.1", &options, &model);
  fuzz_check(ctx, s, "file.keras");
  if (!s) {
    fuzz_check(ctx, snug__keras_compile(model, "file.keras"), "file.keras");
  }
  snug_model_destroy(model);
}

void fuzz_one_config(const uint8_t *data, size_t bytes) {
  char *text = calloc(bytes + 1, 1); /* of its own, so that a byte too far is seen */
  if (!text) {
    fuzz_fail("no memory");
  }
  if (bytes > 0) {
    memcpy(text, data, bytes);
  }
  snug_ctx *ctx = fuzz_begin();
  build(ctx, text, bytes);
  fuzz_end(ctx);
  free(text);
}
