/* A list of images.  It is read whole and cut into lines in place; then walks over them say what
 * labels are and add the files. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/number.h"
#include "image/input.h"
#include "image/list.h"

#define LIST_BYTES_MAX ((int64_t)1 << 30)

typedef struct listing {
  snug__image_list *l;
  const char *path;
  char *text; /* its lines, cut into paths and labels, each with a NUL */
  size_t bytes;
  snug__vec lines; /* line */
  bool has_names;  /* labels are names of classes */
  int64_t most;    /* the largest label that is a number */
  snug__map names;
} listing;

typedef struct line {
  uint32_t number, path, label; /* the two in text */
} line;

static const char *label_of(const listing *in, const line *one) { return in->text + one->label; }

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Note the line from `at` to `end`, which is a newline or the last NUL. */
static snug_status cut(listing *in, char *at, char *end, uint32_t number) {
  while (at < end && is_blank(*at)) {
    at++;
  }
  while (end > at && is_blank(end[-1])) {
    end--;
  }
  *end = 0;
  if (at == end || *at == '#') {
    return SNUG_OK;
  }
  char *label = end;
  while (label > at && !is_blank(label[-1])) {
    label--;
  }
  char *gap = label;
  while (gap > at && is_blank(gap[-1])) {
    gap--;
  }
  if (gap == at) {
    return snug__fail(in->l->ctx, SNUG_E_DATA, "%s:%u: '%.80s' has no label; lines are: path label",
                      in->path, number, at);
  }
  *gap = 0;
  line one = {number, (uint32_t)(at - in->text), (uint32_t)(label - in->text)};
  return snug__vec_push(&in->lines, &one, 1);
}

static snug_status cut_all(listing *in) {
  char *at = in->text, *end = in->text + in->bytes;
  for (uint32_t number = 1; at < end; number++) {
    char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop : end;
    SNUG_TRY(cut(in, at, stop, number));
    at = stop + 1;
  }
  return SNUG_OK;
}

typedef snug_status (*line_fn)(listing *in, const line *one);

static snug_status each_line(listing *in, line_fn use) {
  for (size_t i = 0; i < in->lines.n; i++) {
    SNUG_TRY(use(in, &SNUG_VEC(&in->lines, const line, i)));
  }
  return SNUG_OK;
}

/* ---- what labels are ---- */

static bool read_number(const char *text, int64_t *out) {
  const char *at = text;
  return snug__read_int(&at, out) && !*at;
}

static snug_status look(listing *in, const line *one) {
  int64_t label = 0;
  if (!read_number(label_of(in, one), &label)) {
    in->has_names = true;
    return SNUG_OK;
  }
  in->most = label > in->most ? label : in->most;
  return SNUG_OK;
}

static snug_status check_number(listing *in, const line *one) {
  int64_t label = 0;
  read_number(label_of(in, one), &label);
  if (label < 0 || label >= (int64_t)SNUG__CLASSES_MAX) {
    return snug__fail(in->l->ctx, SNUG_E_DATA,
                      "%s:%u: the label %lld is not in 0 to %zu, where class numbers are", in->path,
                      one->number, (long long)label, SNUG__CLASSES_MAX - 1);
  }
  return SNUG_OK;
}

/* A folder entry per class: it has the label, and its path is the root's. */
static snug_status add_number_classes(listing *in) {
  SNUG_TRY(each_line(in, check_number));
  for (int64_t i = 0; i <= in->most; i++) {
    char text[SNUG__NUMBER_BYTES];
    uint32_t name, unused;
    snprintf(text, sizeof text, "%lld", (long long)i);
    SNUG_TRY(snug__list_add_text(in->l, text, &name));
    SNUG_TRY(snug__vec_push(&in->l->classes, &name, 1));
    SNUG_TRY(snug__list_add_folder(in->l, "", (int32_t)i, &unused));
  }
  return SNUG_OK;
}

/* For a while a folder's path is the name of the class, so that they can be sorted. */
static snug_status collect(listing *in, const line *one) {
  uint32_t at;
  if (snug__map_find(&in->names, label_of(in, one)) != SNUG__MAP_NONE) {
    return SNUG_OK;
  }
  if (in->l->folders.n == SNUG__CLASSES_MAX) {
    return snug__fail(in->l->ctx, SNUG_E_OVERFLOW, "%s:%u: there are more than %zu classes",
                      in->path, one->number, SNUG__CLASSES_MAX);
  }
  SNUG_TRY(snug__list_add_folder(in->l, label_of(in, one), 0, &at));
  return snug__map_set(&in->names, label_of(in, one), at);
}

static snug_status add_named_classes(listing *in) {
  snug__image_list *l = in->l;
  SNUG_TRY(each_line(in, collect));
  snug__list_sort_folders(l, 0);
  size_t n = l->folders.n;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t name = (uint32_t)(snug__list_folder_path(l, i) - snug__list_text(l, 0));
    SNUG_TRY(snug__vec_push(&l->classes, &name, 1));
  }
  snug__vec_release(&l->folders);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t unused;
    SNUG_TRY(snug__list_add_folder(l, "", (int32_t)i, &unused));
  }
  return SNUG_OK;
}

/* ---- files ---- */

/* The place of a class by its name. */
static uint32_t find_class(const snug__image_list *l, const char *name) {
  size_t low = 0, high = l->classes.n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (strcmp(snug__list_class(l, (int64_t)middle), name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return (uint32_t)low;
}

static snug_status add_file(listing *in, const line *one) {
  int64_t label = 0;
  if (in->has_names) {
    label = find_class(in->l, label_of(in, one));
  } else {
    read_number(label_of(in, one), &label);
  }
  if (strlen(in->text + one->path) + strlen(snug__list_text(in->l, in->l->root)) + 2 >=
      SNUG__PATH_BYTES) {
    return snug__fail(in->l->ctx, SNUG_E_OVERFLOW, "%s:%u: the path is too long", in->path,
                      one->number);
  }
  return snug__list_add_file(in->l, (uint32_t)label, in->text + one->path);
}

static snug_status fill(listing *in) {
  char root[SNUG__PATH_BYTES];
  const char *slash = strrchr(in->path, '/');
  snprintf(root, sizeof root, "%.*s", slash ? (int)(slash - in->path) + (slash == in->path) : 1,
           slash ? in->path : ".");
  SNUG_TRY(snug__list_add_text(in->l, root, &in->l->root));
  SNUG_TRY(cut_all(in));
  SNUG_TRY(each_line(in, look));
  SNUG_TRY(in->has_names ? add_named_classes(in) : add_number_classes(in));
  SNUG_TRY(each_line(in, add_file));
  if (in->l->files.n == 0) {
    return snug__fail(in->l->ctx, SNUG_E_DATA, "%s: there are no images in the list", in->path);
  }
  return SNUG_OK;
}

static snug_status read_text(listing *in, snug__input *file) {
  snug_ctx *ctx = in->l->ctx;
  if (file->n > LIST_BYTES_MAX) {
    return snug__fail(ctx, SNUG_E_OVERFLOW, "%s: a list of %lld bytes; %lld are the most", in->path,
                      (long long)file->n, (long long)LIST_BYTES_MAX);
  }
  in->bytes = (size_t)file->n;
  SNUG_TRY(snug__take(ctx, SNUG__MEM_SCRATCH, in->bytes + 1, (void **)&in->text));
  if (snug__input_read(file, 0, in->text, in->bytes) < in->bytes) {
    return snug__fail(ctx, SNUG_E_IO, "%s: cannot be read: %s", in->path, strerror(file->error));
  }
  return SNUG_OK;
}

snug_status snug__list_read(snug__image_list *l, const char *path) {
  listing in = {.l = l, .path = path, .most = -1};
  snug__input file;
  snug__why why;
  if (snug__input_open(&file, path, &why)) {
    return snug__fail(l->ctx, SNUG_E_IO, "%s: %s", path, why.text);
  }
  snug__map_init(&in.names, l->ctx, SNUG__MEM_SCRATCH);
  snug__vec_init(&in.lines, l->ctx, SNUG__MEM_SCRATCH, sizeof(line), UINT32_MAX);
  snug_status s = read_text(&in, &file);
  s = s ? s : fill(&in);
  snug__input_close(&file);
  snug__map_release(&in.names);
  snug__vec_release(&in.lines);
  snug__give(l->ctx, SNUG__MEM_SCRATCH, in.text, in.bytes + 1);
  if (s) {
    snug__list_release(l);
  }
  return s;
}
