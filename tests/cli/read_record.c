/* What a recording says, line by line.  Usage: read_record FILE */
#include <stdio.h>

#include "snug/tools.h"

static void print(const snug_recording *r) {
  static const char *const ends[] = {"closed", "cut", "damaged"};
  printf("end %s\n", ends[snug_recording_ended(r, NULL)]);
  for (size_t i = 0; i < snug_recording_facts(r); i++) {
    printf("fact %s=%s\n", snug_recording_fact_name(r, i), snug_recording_fact_value(r, i));
  }
  for (size_t i = 0; i < snug_recording_moments(r); i++) {
    const snug_moment *m = snug_recording_moment(r, i);
    printf("moment %s %lld %lld\n", m->at, (long long)m->epoch, (long long)m->batch);
  }
  for (size_t i = 0; i < snug_recording_epochs(r); i++) {
    int64_t epoch = 0;
    snug_logs logs = snug_recording_logs(r, i, &epoch);
    printf("epoch %lld loss=%g\n", (long long)epoch, snug_logs_get(&logs, "loss"));
  }
  for (size_t i = 0; i < snug_recording_pieces(r, NULL); i++) {
    const snug_memory_piece *p = snug_recording_piece(r, i);
    printf("piece %s/%s/%s %llu\n", p->layer, p->op, p->what, (unsigned long long)p->bytes);
  }
}

int main(int argc, char **argv) {
  snug_ctx *ctx = NULL;
  snug_recording *r = NULL;
  if (argc != 2 || snug_ctx_create(NULL, &ctx)) {
    return 2;
  }
  int code = snug_recording_open(ctx, argv[1], &r) ? 1 : 0;
  if (code) {
    fprintf(stderr, "%s\n", snug_message(ctx));
  } else {
    print(r);
  }
  snug_recording_destroy(r);
  snug_ctx_destroy(ctx);
  return code;
}
