/* Make a recording for the tests of the command: make_recording KIND FILE (see lib/runs.h). */
#include <stdio.h>

#include "lib/runs.h"

int main(int argc, char **argv) {
  snug_ctx *ctx = NULL;
  if (argc != 3) {
    fprintf(stderr, "usage: make_recording KIND FILE\n");
    return 2;
  }
  snug_status s = snug_ctx_create(NULL, &ctx);
  s = s ? s : test_run_record(ctx, argv[1], argv[2]);
  if (s) {
    fprintf(stderr, "make_recording: %s\n", ctx ? snug_message(ctx) : "");
  }
  snug_ctx_destroy(ctx);
  return s ? 1 : 0;
}
