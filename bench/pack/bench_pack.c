/* The bench of the packer: a table of guillotine problems, whose least height is known, and one of
 * residual networks.  `bench_pack guillotine N P SEED` and `bench_pack residual LAYERS SEED` write
 * one problem as CSV instead. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "problems.h"

#define SEEDS 5

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static snug_pack_item *new_items(size_t n) {
  snug_pack_item *items = calloc(n, sizeof *items);
  if (!items) {
    fprintf(stderr, "bench_pack: no memory for %zu buffers\n", n);
    exit(1);
  }
  return items;
}

static snug_pack_result pack(const snug_pack_item *items, size_t n, double *seconds) {
  snug_ctx *ctx = NULL;
  snug_pack_result result = SNUG_INIT(snug_pack_result);
  int64_t *offsets = calloc(n, sizeof *offsets);
  double start = now();
  if (!offsets || snug_ctx_create(NULL, &ctx) || snug_pack(ctx, items, n, NULL, offsets, &result)) {
    fprintf(stderr, "bench_pack: %s\n", ctx ? snug_message(ctx) : "no memory");
    exit(1);
  }
  *seconds = now() - start;
  snug_ctx_destroy(ctx);
  free(offsets);
  return result;
}

static void guillotine_row(size_t n, double p) {
  snug_pack_item *items = new_items(n);
  int solved = 0;
  double worst = 0.0;
  double seconds = 0.0;
  double longest = 0.0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    double s;
    problem_guillotine(n, p, seed, items);
    snug_pack_result r = pack(items, n, &s);
    double above = 100.0 * (double)(r.height - PROBLEM_BYTES) / (double)PROBLEM_BYTES;
    solved += r.height == PROBLEM_BYTES;
    worst = above > worst ? above : worst;
    seconds += s;
    longest = s > longest ? s : longest;
  }
  printf("%8zu  %4.1f  %6d/%d  %12.3f %%  %10.2f  %10.2f\n", n, p, solved, SEEDS, worst,
         seconds / SEEDS, longest);
  fflush(stdout);
  free(items);
}

static void residual_row(size_t layers) {
  size_t n = PROBLEM_RESIDUAL_BUFFERS(layers);
  snug_pack_item *items = new_items(n);
  double s;
  problem_residual(layers, 1, items);
  snug_pack_result r = pack(items, n, &s);
  printf("%8zu  %8zu  %14lld  %14lld  %8.4f %%  %6s  %8.2f\n", layers, n, (long long)r.load,
         (long long)r.height, 100.0 * (double)(r.height - r.load) / (double)r.load,
         r.proven ? "yes" : "no", s);
  fflush(stdout);
  free(items);
}

static void tables(void) {
  static const size_t sizes[] = {20, 50, 100, 200, 400};
  static const size_t layers[] = {1000, 1500, 3000, 6000};
  puts(" buffers     p  at height  worst above  mean s     longest s");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    guillotine_row(sizes[i], 0.6);
    guillotine_row(sizes[i], 0.8);
  }
  puts("\n  layers   buffers            load          height      above  proven   seconds");
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
    residual_row(layers[i]);
  }
}

static void write_csv(const snug_pack_item *items, size_t n) {
  puts("id,lower,upper,size,alignment");
  for (size_t i = 0; i < n; i++) {
    printf("b%zu,%lld,%lld,%lld,%lld\n", i, (long long)items[i].lower, (long long)items[i].upper,
           (long long)items[i].size, (long long)items[i].align);
  }
}

static int write_one(char **args, int n_args) {
  size_t count = (size_t)strtoull(args[1], NULL, 10);
  int guillotine = strcmp(args[0], "guillotine") == 0;
  if (n_args != (guillotine ? 4 : 3) || count < 1 || count > 10000000) {
    fputs("usage: bench_pack [guillotine N P SEED | residual LAYERS SEED]\n", stderr);
    return 2;
  }
  uint64_t seed = strtoull(args[n_args - 1], NULL, 10);
  size_t n = guillotine ? count : PROBLEM_RESIDUAL_BUFFERS(count);
  snug_pack_item *items = new_items(n);
  if (guillotine) {
    problem_guillotine(n, strtod(args[2], NULL), seed, items);
  } else {
    problem_residual(count, seed, items);
  }
  write_csv(items, n);
  free(items);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 2) {
    return write_one(argv + 1, argc - 1);
  }
  tables();
  return 0;
}
