#include "image/option.h"

#include <string.h>

#include "base/number.h"

static bool read_side(const char **at, int32_t *out) {
  int64_t side = 0;
  if (!snug__read_int(at, &side) || side < 1 || side > SNUG__IMAGE_SIZE_MAX) {
    return false;
  }
  *out = (int32_t)side;
  return true;
}

snug_status snug__option_size(snug_ctx *ctx, const char *what, const char *text, int32_t *height,
                              int32_t *width) {
  const char *at = text;
  int32_t h = 0, w = 0;
  bool good = read_side(&at, &h);
  w = h;
  if (good && (*at == 'x' || *at == 'X')) {
    at++;
    good = read_side(&at, &w);
  }
  if (!good || *at) {
    return snug__fail(
        ctx, SNUG_E_ARGUMENT,
        "%s: '%.60s' is not a size; write HEIGHTxWIDTH with sides of 1 to %d, as 224x224", what,
        text, SNUG__IMAGE_SIZE_MAX);
  }
  *height = h;
  *width = w;
  return SNUG_OK;
}

/* A number behind a mark, if the mark is there. */
static bool read_behind(const char **at, char mark, double *out) {
  if (**at != mark) {
    return true;
  }
  ++*at;
  return snug__read_float(at, out);
}

snug_status snug__option_scale(snug_ctx *ctx, const char *what, const char *text, double *scale,
                               double *offset) {
  const char *at = text;
  double above = 0.0, below = 1.0, added = 0.0;
  bool good = snug__read_float(&at, &above) && read_behind(&at, '/', &below) &&
              read_behind(&at, ',', &added);
  if (!good || *at || below == 0.0) {
    return snug__fail(
        ctx, SNUG_E_ARGUMENT,
        "%s: '%.60s' is neither a number nor a fraction as 1/255, nor one of them with "
        "what is added, as 1/127.5,-1",
        what, text);
  }
  *scale = above / below;
  *offset = added;
  return SNUG_OK;
}

snug_status snug__option_choice(snug_ctx *ctx, const char *what, const char *text,
                                const char *const *names, int32_t *out) {
  char known[256] = "";
  for (int32_t i = 0; names[i]; i++) {
    if (strcmp(names[i], text) == 0) {
      *out = i;
      return SNUG_OK;
    }
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", names[i]);
  }
  return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: '%.60s' is not one of %s", what, text, known);
}
