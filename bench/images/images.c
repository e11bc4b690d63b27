/* How fast images come to a step: a folder through the pipe of a training, without a step.
 *
 * Usage: images FOLDER [options]: --size HxW, --batch N, --workers N, --passes N, --augment LIST,
 * --decode keras|accurate|fast
 *
 * One line of JSON: images per second of the fastest pass behind the first, bytes that reading
 * took, the peak of the process, and the mean of all values, so that it can be seen that all peers
 * make the same numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/thread.h"
#include "data/pipe.h"
#include "image/images.h"
#include "image/option.h"

typedef struct options {
  const char *folder, *size, *augment, *decode;
  int64_t batch, workers, passes;
} options;

typedef struct bench {
  snug_ctx *ctx;
  snug__image_list list;
  snug__images images;
  snug_source source;
  snug_array arrays[2];
  snug__demand demands[2];
  snug__intake intake;
  snug__pipe *pipe;
} bench;

static _Noreturn void quit(const bench *b, const char *what) {
  fprintf(stderr, "images: %s: %s\n", what, b && b->ctx ? snug_message(b->ctx) : "");
  exit(2);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int64_t peak_bytes(void) {
  char line[256];
  long long kib = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f)) {
    if (strncmp(line, "VmHWM:", 6) == 0) {
      kib = strtoll(line + 6, NULL, 10);
    }
  }
  if (f) {
    fclose(f);
  }
  return kib * 1024;
}

/* ---- setting up ---- */

static snug_status set_recipe(bench *b, const options *o) {
  static const char *const ways[] = {"keras", "accurate", "fast", NULL};
  int32_t height = 0, width = 0, way = 0;
  SNUG_TRY(snug__option_size(b->ctx, "--size", o->size, &height, &width));
  SNUG_TRY(snug__option_choice(b->ctx, "--decode", o->decode, ways, &way));
  b->images.recipe = snug__recipe_of(height, width, 3);
  b->images.recipe.load.decode = (snug__jpeg_decode)way;
  b->images.recipe.scale = 1.0 / 255.0;
  SNUG_TRY(snug__augment_parse(b->ctx, o->augment, &b->images.recipe.augment));
  return snug__recipe_check(b->ctx, &b->images.recipe);
}

static snug_status list_images(bench *b, const options *o) {
  snug__survey found;
  snug__list_init(&b->list, b->ctx);
  SNUG_TRY(snug__list_folder(&b->list, o->folder, true));
  SNUG_TRY(
      snug__images_survey(&b->list, 0, snug__list_count(&b->list), (int32_t)o->workers, &found));
  b->images.list = &b->list;
  b->images.labels = SNUG__LABEL_INT;
  b->images.decode_bytes = found.decode_bytes;
  return snug__readers_create(b->ctx, (int32_t)o->workers, &b->images.readers);
}

static snug_status read_row(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  return snug__images_read(user, scratch, row, pass, to[0], to[1], why, SNUG_WHY_BYTES);
}

static snug_status open_pipe(bench *b, const options *o) {
  int32_t shape[3];
  int64_t n = snug__list_count(&b->list);
  snug__recipe_shape(&b->images.recipe, shape);
  b->arrays[0] =
      (snug_array){.dtype = SNUG_FLOAT32, .rank = 4, .shape = {n, shape[0], shape[1], shape[2]}};
  b->arrays[1] = (snug_array){.dtype = SNUG_INT32, .rank = 1, .shape = {n}};
  for (int k = 0; k < 2; k++) {
    snug_array *a = &b->arrays[k];
    b->demands[k] = (snug__demand){.feeds = snug__type_of(a->dtype, a->rank, a->shape), .hint = ""};
  }
  b->source = (snug_source){.struct_size = sizeof(snug_source),
                            .name = o->folder,
                            .user = &b->images,
                            .rows = n,
                            .scratch = snug__images_scratch(&b->images),
                            .read = read_row,
                            .workers = (int32_t)o->workers};
  b->intake = (snug__intake){.source = &b->source,
                             .arrays = b->arrays,
                             .demands = b->demands,
                             .n = 2,
                             .rows = n,
                             .batch = o->batch,
                             .shuffled = true,
                             .seed = 1};
  const snug__intake *intakes[] = {&b->intake};
  return snug__pipe_open(b->ctx, intakes, 1, 0, &b->pipe);
}

/* ---- passes ---- */

static double mean_of(const float *x, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    sum += (double)x[i];
  }
  return sum / (double)n;
}

/* All batches of a pass; the mean of all values, if that is wanted. */
static snug_status run_pass(bench *b, const options *o, uint64_t number, double *mean) {
  int64_t n = snug__list_count(&b->list), batches = (n + o->batch - 1) / o->batch;
  size_t values = snug__recipe_sample_bytes(&b->images.recipe) / sizeof(float);
  snug__pass pass = {number, 0};
  snug__pipe_start(b->pipe, &b->intake, &pass);
  for (int64_t i = 0; i < batches; i++) {
    snug__ready ready;
    int64_t rows = i + 1 < batches ? o->batch : n - i * o->batch;
    SNUG_TRY(snug__pipe_take(b->pipe, &ready));
    if (mean) {
      *mean +=
          mean_of((const float *)ready.at[0], (size_t)rows * values) * (double)rows / (double)n;
    }
    snug__pipe_give(b->pipe);
  }
  return SNUG_OK;
}

static double seconds_of(bench *b, const options *o, uint64_t pass, double *mean) {
  double begin = now();
  if (run_pass(b, o, pass, mean)) {
    quit(b, "reading");
  }
  return now() - begin;
}

static void run(bench *b, const options *o) {
  double mean = 0.0, least = 0.0;
  long long n = (long long)snug__list_count(&b->list);
  snug_data_report report = SNUG_INIT(snug_data_report);
  seconds_of(b, o, 0, &mean);
  for (int64_t i = 1; i <= o->passes; i++) {
    double seconds = seconds_of(b, o, (uint64_t)i, NULL);
    least = i == 1 || seconds < least ? seconds : least;
  }
  snug__pipe_report(b->pipe, &report);
  printf(
      "{\"images_per_second\": %.2f, \"images\": %lld, \"data_bytes\": %llu, \"peak_bytes\": %lld, "
      "\"mean\": %.6f}\n",
      (double)n / least, n, (unsigned long long)(report.batches + report.workers),
      (long long)peak_bytes(), mean);
}

static options parse(int n, char **args) {
  options o = {.size = "224x224", .augment = "", .decode = "keras", .batch = 32, .passes = 2};
  o.workers = snug__cores();
  for (int i = 1; i < n; i++) {
    const char *value = i + 1 < n ? args[i + 1] : "";
    if (strncmp(args[i], "--", 2) != 0) {
      o.folder = args[i];
      continue;
    }
    i++;
    if (strcmp(args[i - 1], "--size") == 0) {
      o.size = value;
    } else if (strcmp(args[i - 1], "--augment") == 0) {
      o.augment = value;
    } else if (strcmp(args[i - 1], "--decode") == 0) {
      o.decode = value;
    } else if (strcmp(args[i - 1], "--batch") == 0) {
      o.batch = strtoll(value, NULL, 10);
    } else if (strcmp(args[i - 1], "--workers") == 0) {
      o.workers = strtoll(value, NULL, 10);
    } else if (strcmp(args[i - 1], "--passes") == 0) {
      o.passes = strtoll(value, NULL, 10);
    } else {
      quit(NULL, args[i - 1]);
    }
  }
  if (!o.folder || o.batch < 1 || o.workers < 1 || o.passes < 1) {
    quit(NULL,
         "usage: images FOLDER [--size HxW] [--batch N] [--workers N] [--passes N] "
         "[--decode keras|accurate|fast] [--augment LIST]");
  }
  return o;
}

int main(int n, char **args) {
  options o = parse(n, args);
  bench b = {0};
  if (snug_ctx_create(NULL, &b.ctx)) {
    quit(NULL, "no context");
  }
  if (set_recipe(&b, &o) || list_images(&b, &o) || open_pipe(&b, &o)) {
    quit(&b, o.folder);
  }
  run(&b, &o);
  snug__pipe_close(b.pipe);
  snug__readers_destroy(b.images.readers);
  snug__list_release(&b.list);
  snug_ctx_destroy(b.ctx);
  return 0;
}
