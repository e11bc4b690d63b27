#define _POSIX_C_SOURCE 200809L
#include "train/options.h"

#include <snug/train.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void usage(const char *program) {
  fprintf(stderr,
          "usage: %s --model NAME [--batch N] [--size N] [--threads N] [--steps N] [--warm N]\n"
          "       [--seconds T] [--batches N] [--json 1] [--weights FILE --output FILE]\n"
          "       [--pieces N] [--line MIB] [--marks 1]\nmodels:",
          program);
  for (const net *n = net_list; n->name; n++) {
    fprintf(stderr, " %s", n->name);
  }
  fputc('\n', stderr);
  exit(2);
}

static int64_t count(const char *program, const char *text, int64_t least) {
  char *end = NULL;
  long long n = strtoll(text, &end, 10);
  if (end == text || *end || n < least) {
    fprintf(stderr, "%s: %s is not a number of at least %lld\n", program, text, (long long)least);
    exit(2);
  }
  return n;
}

static bool read_net(bench_options *o, const char *key, const char *value, const char *program) {
  if (strcmp(key, "--model") == 0) {
    const net *found = net_find(value);
    if (!found) {
      usage(program);
    }
    o->net = *found;
  } else if (strcmp(key, "--batch") == 0) {
    o->net.batch = count(program, value, 1);
  } else if (strcmp(key, "--size") == 0) {
    o->net.size = count(program, value, 1);
  } else {
    return false;
  }
  return true;
}

static bool read_run(bench_options *o, const char *key, const char *value, const char *program) {
  if (strcmp(key, "--threads") == 0) {
    o->threads = (int32_t)count(program, value, 0);
  } else if (strcmp(key, "--steps") == 0) {
    o->steps = count(program, value, 1);
  } else if (strcmp(key, "--warm") == 0) {
    o->warm = count(program, value, 1);
  } else if (strcmp(key, "--batches") == 0) {
    o->n_batches = count(program, value, 1);
  } else if (strcmp(key, "--seconds") == 0) {
    o->seconds = strtod(value, NULL);
  } else if (strcmp(key, "--weights") == 0) {
    o->weights = value;
  } else if (strcmp(key, "--json") == 0) {
    o->json = count(program, value, 0) > 0;
  } else if (strcmp(key, "--marks") == 0) {
    o->marks = count(program, value, 0) > 0;
  } else if (strcmp(key, "--output") == 0) {
    o->output = value;
  } else if (strcmp(key, "--pieces") == 0) {
    o->pieces = count(program, value, 1);
  } else if (strcmp(key, "--line") == 0) {
    o->line = count(program, value, 1);
  } else {
    return false;
  }
  return true;
}

bench_options bench_options_read(int argc, char **argv) {
  bench_options o = {.steps = 10, .warm = 1, .seconds = 1e9, .n_batches = 2};
  for (int i = 1; i < argc; i += 2) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!value || (i == 1) != (strcmp(argv[i], "--model") == 0) ||
        !(read_net(&o, argv[i], value, argv[0]) || read_run(&o, argv[i], value, argv[0]))) {
      usage(argv[0]);
    }
  }
  if (!o.net.name) {
    usage(argv[0]);
  }
  return o;
}

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_need(const snug_ctx *ctx, snug_status s) {
  if (s) {
    fprintf(stderr, "bench: %s\n", ctx ? snug_message(ctx) : snug_status_text(s));
    exit(1);
  }
}

void bench_compile(snug_ctx *ctx, snug_model *m) {
  const char *loss = "sparse_categorical_crossentropy";
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.optimizer = "adam";
  o.loss = &loss;
  o.n_loss = 1;
  bench_need(ctx, snug_model_compile(m, &o));
}
