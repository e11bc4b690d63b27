#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *config_text(char *out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(out, CONFIG_BYTES, format, args);
  va_end(args);
  ASSERT_TRUE(n > 0 && n < CONFIG_BYTES);
  for (char *at = out; *at; at++) {
    *at = *at == '\'' ? '"' : *at;
  }
  return out;
}

snug_model *config_build(snug_ctx *ctx, const char *text) {
  static char json[CONFIG_BYTES];
  snug_model *m = NULL;
  config_text(json, "%s", text);
  ASSERT_OK(ctx, snug__keras_build(ctx, "m.keras", json, strlen(json), "3.15.1", NULL, &m));
  return m;
}

snug_status config_refuse(snug_ctx *ctx, const char *text) {
  static char json[CONFIG_BYTES];
  snug_model *m = NULL;
  config_text(json, "%s", text);
  snug_status s = snug__keras_build(ctx, "m.keras", json, strlen(json), "3.15.1", NULL, &m);
  ASSERT_NULL(m);
  return s;
}

const char *config_places(const snug_model *m, char *out, size_t bytes) {
  size_t used = 0;
  out[0] = 0;
  for (size_t i = 0; i < m->keras->places.n; i++) {
    const snug__keras_place *p = &SNUG_VEC(&m->keras->places, snug__keras_place, i);
    const char *layer =
        p->layer == SNUG__NO_LAYER ? "-" : SNUG_VEC(&m->layers, snug__layer, p->layer).name;
    used += (size_t)snprintf(out + used, bytes - used, "%s%s=%s:%s", i ? " " : "", p->path, p->name,
                             layer);
    ASSERT_TRUE(used < bytes);
  }
  return out;
}
