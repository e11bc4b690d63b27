/* Saves a network of the bench as a .keras file, compiled.
 *
 *   save_net NAME SIZE FILE        SIZE 0: the network's own */
#include <snug/snug.h>
#include <stdio.h>
#include <stdlib.h>

#include "nets/nets.h"

static int fail(const char *what) {
  fprintf(stderr, "save_net: %s\n", what);
  return 1;
}

static snug_status make(snug_ctx *ctx, const net *n, const char *path) {
  const char *loss = "sparse_categorical_crossentropy";
  const char *metric = "accuracy";
  snug_compile_options how = SNUG_INIT(snug_compile_options);
  snug_model *m = NULL;
  how.optimizer = "adam";
  how.loss = &loss;
  how.metrics = &metric;
  how.n_loss = how.n_metrics = 1;
  snug_status s = snug_model_create(ctx, NULL, &m);
  s = s ? s : n->build(m, n);
  s = s ? s : snug_model_compile(m, &how);
  s = s ? s : snug_model_save(m, path);
  snug_model_destroy(m);
  return s;
}

int main(int argc, char **argv) {
  const net *found = argc == 4 ? net_find(argv[1]) : NULL;
  snug_ctx *ctx = NULL;
  if (!found) {
    return fail("usage: save_net NAME SIZE FILE");
  }
  net n = *found;
  long size = strtol(argv[2], NULL, 10);
  n.size = size > 0 ? size : n.size;
  if (snug_ctx_create(NULL, &ctx)) {
    return fail("no context");
  }
  int code = make(ctx, &n, argv[3]) ? fail(snug_message(ctx)) : 0;
  snug_ctx_destroy(ctx);
  return code;
}
