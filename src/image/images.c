#include "image/images.h"

#include <string.h>

#include "base/thread.h"

/* ---- survey ---- */

#define PARTS 64 /* so many pieces of the list are looked at side by side */

typedef struct part {
  const snug__image_list *l;
  int64_t first, n;
  snug__survey found;
} part;

static snug_status look(const snug__image_list *l, int64_t i, char path[SNUG__PATH_BYTES],
                        snug__image_info *info, snug__why *why) {
  snug__input in;
  snug__list_path(l, i, path);
  SNUG_TRY(snug__input_open(&in, path, why));
  snug_status s = snug__image_probe(&in, info, why);
  snug__input_close(&in);
  return s;
}

/* Path and text; of a path that is too long for both the end, which says more. */
static void say(const char *path, const snug__why *why, char *out, size_t bytes) {
  size_t n = strlen(path), text = strlen(why->text) + 2;
  size_t room = bytes > text ? bytes - text : 0;
  size_t dots = n > room && room > 3 ? 3 : 0;
  const char *shown = n > room ? path + n - (room - dots) : path;
  snprintf(out, bytes, "%.*s%s %s", (int)dots, "...", shown, why->text);
}

static void begin_survey(snug__survey *s) {
  *s = (snug__survey){.largest = -1, .least_height = INT32_MAX, .least_width = INT32_MAX};
}

static void note_bad(snug__survey *s, int64_t i) {
  if (s->n_bad < SNUG__SURVEY_BAD) {
    s->bad[s->n_bad] = i;
  }
  s->n_bad++;
}

static int32_t lower(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t higher(int32_t a, int32_t b) { return a > b ? a : b; }

static void note_good(snug__survey *s, int64_t i, const snug__image_info *info) {
  s->n_jpeg += info->format == SNUG__IMAGE_JPEG;
  s->n_png += info->format == SNUG__IMAGE_PNG;
  s->n_whole += info->is_whole;
  s->least_height = lower(s->least_height, info->height);
  s->least_width = lower(s->least_width, info->width);
  s->most_height = higher(s->most_height, info->height);
  s->most_width = higher(s->most_width, info->width);
  if (info->decode_bytes > s->decode_bytes) {
    s->decode_bytes = info->decode_bytes;
    s->largest = i;
  }
}

static void survey_part(void *arg, int64_t which) {
  part *p = (part *)arg + which;
  char path[SNUG__PATH_BYTES];
  begin_survey(&p->found);
  for (int64_t i = p->first; i < p->first + p->n; i++) {
    snug__image_info info;
    snug__why why;
    if (look(p->l, i, path, &info, &why)) {
      note_bad(&p->found, i);
    } else {
      note_good(&p->found, i, &info);
    }
  }
}

/* Parts are added in the order of the list. */
static void add_part(snug__survey *s, const snug__survey *p) {
  s->n_jpeg += p->n_jpeg;
  s->n_png += p->n_png;
  s->n_whole += p->n_whole;
  s->least_height = lower(s->least_height, p->least_height);
  s->least_width = lower(s->least_width, p->least_width);
  s->most_height = higher(s->most_height, p->most_height);
  s->most_width = higher(s->most_width, p->most_width);
  if (p->decode_bytes > s->decode_bytes) {
    s->decode_bytes = p->decode_bytes;
    s->largest = p->largest;
  }
  for (int64_t k = 0; k < p->n_bad; k++) {
    note_bad(s, k < SNUG__SURVEY_BAD ? p->bad[k] : -1);
  }
}

snug_status snug__images_survey(const snug__image_list *l, int64_t first, int64_t n,
                                int32_t threads, snug__survey *out) {
  part *parts = NULL;
  begin_survey(out);
  SNUG_TRY(SNUG_NEW_ARRAY(l->ctx, SNUG__MEM_SCRATCH, PARTS, &parts));
  for (int64_t k = 0; k < PARTS; k++) {
    int64_t from = n * k / PARTS, to = n * (k + 1) / PARTS; /* n is below 2^31 */
    parts[k] = (part){.l = l, .first = first + from, .n = to - from};
  }
  snug__parallel_for(threads, PARTS, survey_part, parts);
  for (int64_t k = 0; k < PARTS; k++) {
    add_part(out, &parts[k].found);
  }
  SNUG_GIVE_ARRAY(l->ctx, SNUG__MEM_SCRATCH, parts, PARTS);
  return SNUG_OK;
}

void snug__images_trouble(const snug__image_list *l, int64_t i, char *out, size_t bytes) {
  char path[SNUG__PATH_BYTES];
  snug__image_info info;
  snug__why why;
  out[0] = 0;
  if (look(l, i, path, &info, &why)) {
    say(path, &why, out, bytes);
  }
}

/* ---- rows ---- */

size_t snug__images_scratch(const snug__images *im) {
  return snug__worker_bytes(&im->recipe, im->decode_bytes);
}

static snug_status read_image(const snug__images *im, void *scratch, int64_t i, uint64_t epoch,
                              snug__input *in, void *image, snug__why *why) {
  snug__image_worker w;
  snug__image_turn turn = {epoch != SNUG__NO_EPOCH, im->seed, epoch, (uint64_t)i};
  SNUG_TRY(snug__worker_begin(&w, &im->recipe, scratch, snug__images_scratch(im), why));
  snug__jpeg *reader = snug__readers_take(im->readers);
  snug_status s = snug__worker_read(&w, reader, in, &turn, image, why);
  snug__readers_give(im->readers, reader);
  return s;
}

snug_status snug__images_read(const snug__images *im, void *scratch, int64_t row, uint64_t epoch,
                              void *image, void *label, char *why, size_t bytes) {
  char path[SNUG__PATH_BYTES];
  int64_t i = im->first + row;
  snug__input in;
  snug__why text;
  if (label) {
    snug__label_write(im->list, i, im->labels, label);
  }
  if (!image) {
    return SNUG_OK;
  }
  snug__list_path(im->list, i, path);
  snug__laps laps = snug__laps_begin(im->times);
  snug_status s = snug__input_open(&in, path, &text);
  if (!s) {
    in.laps = laps;
    snug__lap(&in.laps, SNUG__STAGE_FILE);
    s = read_image(im, scratch, i, epoch, &in, image, &text);
    snug__input_close(&in);
    snug__lap(&in.laps, SNUG__STAGE_FILE);
  }
  if (s) {
    say(path, &text, why, bytes);
  }
  return s;
}
