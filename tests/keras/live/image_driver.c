/* What Snug does with images, in a process that obeys lines as driver.c does; it sees the inside of
 * the library, since a single step of augmentation with given numbers is nothing that users ask
 * for.
 *
 *   load PATH OUT height width channels interpolation aspect edge decode
 *   augment IN OUT height width channels STEP unit unit
 *   list FOLDER labelled seed|- split subset
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/list.h"
#include "image/option.h"
#include "image/readers.h"
#include "image/recipe.h"

#define MAX_WORDS 16

static _Noreturn void quit(const char *why, const char *what) {
  fprintf(stderr, "image_driver: %s: %s\n", why, what);
  exit(2);
}

static int32_t number(const char *text) { return (int32_t)strtol(text, NULL, 10); }

static void *get(size_t bytes) {
  void *p = malloc(bytes ? bytes : 1);
  if (!p)
    quit("no memory", "malloc");
  return p;
}

static void write_floats(const char *path, const float *x, size_t n) {
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(x, sizeof *x, n, f) != n || fclose(f))
    quit("cannot write", path);
}

static snug_status read_image(snug_ctx *ctx, const snug__recipe *r, const char *path, float *dst) {
  snug__input in;
  snug__why why;
  snug__image_info info;
  snug__image_worker w;
  snug__image_turn turn = {0};
  snug_status s = snug__input_open(&in, path, &why);
  if (s)
    return snug__fail(ctx, s, "%s %s", path, why.text);
  s = snug__image_probe(&in, &info, &why);
  size_t bytes = s ? 0 : snug__worker_bytes(r, info.decode_bytes);
  void *memory = get(bytes);
  s = s ? s : snug__worker_begin(&w, r, memory, bytes, &why);
  if (!s) {
    snug__readers *readers = NULL;
    SNUG_TRY(snug__readers_create(ctx, 1, &readers));
    s = snug__worker_read(&w, snug__readers_take(readers), &in, &turn, dst, &why);
    snug__readers_destroy(readers);
  }
  free(memory);
  snug__input_close(&in);
  return s ? snug__fail(ctx, s, "%s %s", path, why.text) : s;
}

static snug_status load(snug_ctx *ctx, char **words) {
  snug__recipe r = snug__recipe_of(number(words[3]), number(words[4]), number(words[5]));
  int32_t method = 0, aspect = 0;
  SNUG_TRY(snug__option_choice(ctx, "interpolation", words[6], snug__interpolation_names, &method));
  SNUG_TRY(snug__option_choice(ctx, "aspect", words[7], snug__aspect_names, &aspect));
  r.load.interpolation = (snug__interpolation)method;
  r.load.aspect = (snug__aspect)aspect;
  r.load.edge = (uint8_t)number(words[8]);
  r.load.decode = (snug__jpeg_decode)number(words[9]);
  SNUG_TRY(snug__recipe_check(ctx, &r));
  float *image = get(snug__recipe_sample_bytes(&r));
  snug_status s = read_image(ctx, &r, words[1], image);
  if (!s)
    write_floats(words[2], image, snug__recipe_sample_bytes(&r) / sizeof *image);
  free(image);
  return s;
}

static snug_status augment(snug_ctx *ctx, char **words) {
  snug__augment a;
  snug__canvas c = {number(words[3]), number(words[4]), number(words[5]), NULL, NULL};
  double unit[2] = {strtod(words[7], NULL), strtod(words[8], NULL)};
  SNUG_TRY(snug__augment_parse(ctx, words[6], &a));
  size_t n = (size_t)c.height * (size_t)c.width * (size_t)c.channels;
  float *places[2] = {get(n * sizeof(float)), get(n * sizeof(float))};
  FILE *f = fopen(words[1], "rb");
  if (!f || fread(places[0], sizeof(float), n, f) != n || fclose(f))
    quit("cannot read", words[1]);
  c.pixels = places[0];
  c.spare = places[1];
  snug__augment_draw d = snug__augment_drawn(&a.steps[0], unit, c.height, c.width);
  snug__augment_apply(&a.steps[0], &d, &c);
  write_floats(words[2], c.pixels, (size_t)c.height * (size_t)c.width * (size_t)c.channels);
  free(places[0]);
  free(places[1]);
  return SNUG_OK;
}

static snug_status list(snug_ctx *ctx, char **words) {
  snug__image_list l;
  int64_t first = 0, n = 0;
  char path[SNUG__PATH_BYTES];
  snug__list_init(&l, ctx);
  SNUG_TRY(snug__list_folder(&l, words[1], number(words[2])));
  if (words[3][0] != '-')
    snug__list_shuffle(&l, (uint32_t)strtoul(words[3], NULL, 10));
  snug_status s =
      snug__list_subset(&l, strtod(words[4], NULL), (snug__subset)number(words[5]), &first, &n);
  for (int64_t i = first; !s && i < first + n; i++) {
    snug__list_path(&l, i, path);
    printf("%s\t%d\n", path, snug__list_label(&l, i));
  }
  snug__list_release(&l);
  return s;
}

static const struct {
  const char *name;
  int words;
  snug_status (*run)(snug_ctx *ctx, char **words);
} commands[] = {{"load", 10, load}, {"augment", 9, augment}, {"list", 6, list}};

static snug_status obey(snug_ctx *ctx, char *line) {
  char *words[MAX_WORDS] = {0};
  int n = 0;
  line[strcspn(line, "\n")] = 0;
  for (char *word = strtok(line, "\t"); word && n < MAX_WORDS; word = strtok(NULL, "\t"))
    words[n++] = word;
  for (size_t i = 0; n && i < sizeof commands / sizeof *commands; i++)
    if (!strcmp(words[0], commands[i].name) && n == commands[i].words)
      return commands[i].run(ctx, words);
  quit("no such command", n ? words[0] : "");
}

int main(void) {
  static char line[16384];
  snug_ctx *ctx = NULL;
  if (snug_ctx_create(NULL, &ctx))
    quit("no context", "");
  while (fgets(line, sizeof line, stdin)) {
    snug_status s = obey(ctx, line);
    if (s)
      printf("error %d %s\n", s, snug_message(ctx));
    else
      printf("ok\n");
    fflush(stdout);
  }
  snug_ctx_destroy(ctx);
  return 0;
}
