#include "image/list.h"

#include <string.h>

#include "image/values.h"

const char *const snug__label_names[] = {"inferred", "int", "categorical", "binary", "none", NULL};

void snug__list_init(snug__image_list *l, snug_ctx *ctx) {
  memset(l, 0, sizeof *l);
  l->ctx = ctx;
  snug__vec_init(&l->texts, ctx, SNUG__MEM_DATA, 1, UINT32_MAX);
  snug__vec_init(&l->folders, ctx, SNUG__MEM_DATA, sizeof(snug__list_entry), INT32_MAX);
  snug__vec_init(&l->files, ctx, SNUG__MEM_DATA, sizeof(snug__list_entry), INT32_MAX);
  snug__vec_init(&l->classes, ctx, SNUG__MEM_DATA, sizeof(uint32_t), SNUG__CLASSES_MAX);
}

void snug__list_release(snug__image_list *l) {
  snug__vec_release(&l->texts);
  snug__vec_release(&l->folders);
  snug__vec_release(&l->files);
  snug__vec_release(&l->classes);
}

/* ---- adding ---- */

snug_status snug__list_add_text(snug__image_list *l, const char *text, uint32_t *out) {
  size_t at = l->texts.n;
  SNUG_TRY(snug__vec_push(&l->texts, text, strlen(text) + 1));
  *out = (uint32_t)at;
  return SNUG_OK;
}

snug_status snug__list_add_folder(snug__image_list *l, const char *path, int32_t label,
                                  uint32_t *out) {
  snug__list_entry f = {0, label};
  SNUG_TRY(snug__list_add_text(l, path, &f.text));
  *out = (uint32_t)l->folders.n;
  return snug__vec_push(&l->folders, &f, 1);
}

snug_status snug__list_add_file(snug__image_list *l, uint32_t in, const char *name) {
  snug__list_entry f = {0, (int32_t)in};
  SNUG_TRY(snug__list_add_text(l, name, &f.text));
  return snug__vec_push(&l->files, &f, 1);
}

const char *snug__list_text(const snug__image_list *l, uint32_t at) {
  return &SNUG_VEC(&l->texts, const char, at);
}

const char *snug__list_folder_path(const snug__image_list *l, uint32_t at) {
  return snug__list_text(l, SNUG_VEC(&l->folders, snug__list_entry, at).text);
}

void snug__list_set_label(snug__image_list *l, uint32_t at, int32_t label) {
  SNUG_VEC(&l->folders, snug__list_entry, at).of = label;
}

/* ---- sorting: a heap, in place.  No two entries are equal. ---- */

typedef int (*compare_fn)(const snug__image_list *l, snug__list_entry a, snug__list_entry b);

static int compare_texts(const snug__image_list *l, snug__list_entry a, snug__list_entry b) {
  return strcmp(snug__list_text(l, a.text), snug__list_text(l, b.text));
}

static int compare_files(const snug__image_list *l, snug__list_entry a, snug__list_entry b) {
  int by_folder = a.of == b.of ? 0
                               : strcmp(snug__list_folder_path(l, (uint32_t)a.of),
                                        snug__list_folder_path(l, (uint32_t)b.of));
  return by_folder ? by_folder : compare_texts(l, a, b);
}

static void swap(snug__list_entry *a, snug__list_entry *b) {
  snug__list_entry kept = *a;
  *a = *b;
  *b = kept;
}

static void sift(const snug__image_list *l, snug__list_entry *heap, size_t at, size_t n,
                 compare_fn compare) {
  for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
    child += child + 1 < n && compare(l, heap[child], heap[child + 1]) < 0;
    if (compare(l, heap[at], heap[child]) >= 0) {
      return;
    }
    swap(&heap[at], &heap[child]);
    at = child;
  }
}

static void sort(const snug__image_list *l, snug__vec *v, size_t from, compare_fn compare) {
  size_t n = v->n - from;
  snug__list_entry *heap = n ? &SNUG_VEC(v, snug__list_entry, from) : NULL;
  for (size_t i = n / 2; i > 0; i--) {
    sift(l, heap, i - 1, n, compare);
  }
  for (size_t i = n; i > 1; i--) {
    swap(&heap[0], &heap[i - 1]);
    sift(l, heap, 0, i - 1, compare);
  }
}

void snug__list_sort_folders(snug__image_list *l, size_t from) {
  sort(l, &l->folders, from, compare_texts);
}

void snug__list_sort_files(snug__image_list *l, size_t from) {
  sort(l, &l->files, from, compare_files);
}

/* ---- asking ---- */

int32_t snug__list_label(const snug__image_list *l, int64_t i) {
  int32_t folder = SNUG_VEC(&l->files, snug__list_entry, i).of;
  return SNUG_VEC(&l->folders, snug__list_entry, folder).of;
}

const char *snug__list_class(const snug__image_list *l, int64_t label) {
  return snug__list_text(l, SNUG_VEC(&l->classes, uint32_t, label));
}

void snug__list_path(const snug__image_list *l, int64_t i, char out[SNUG__PATH_BYTES]) {
  snug__list_entry f = SNUG_VEC(&l->files, snug__list_entry, i);
  const char *name = snug__list_text(l, f.text);
  const char *in = snug__list_folder_path(l, (uint32_t)f.of);
  const char *root = name[0] == '/' ? "" : snug__list_text(l, l->root);
  snprintf(out, SNUG__PATH_BYTES, "%s%s%s%s%s", root, root[0] ? "/" : "", in, in[0] ? "/" : "",
           name);
}

snug_status snug__label_check(const snug__image_list *l, snug__label_mode mode) {
  if (mode != SNUG__LABEL_NONE && l->classes.n == 0) {
    return snug__fail(l->ctx, SNUG_E_DATA, "labels=%s: there are no classes",
                      snug__label_names[mode]);
  }
  if (mode == SNUG__LABEL_BINARY && l->classes.n != 2) {
    return snug__fail(l->ctx, SNUG_E_DATA, "labels=binary is for two classes; there %s %zu",
                      l->classes.n == 1 ? "is" : "are", l->classes.n);
  }
  return SNUG_OK;
}

void snug__label_write(const snug__image_list *l, int64_t i, snug__label_mode mode, void *dst) {
  int32_t label = snug__list_label(l, i);
  if (mode == SNUG__LABEL_CATEGORICAL) {
    snug__values_one_hot(label, dst, l->classes.n);
  } else if (mode == SNUG__LABEL_BINARY) {
    *(float *)dst = (float)label;
  } else if (mode != SNUG__LABEL_NONE) {
    *(int32_t *)dst = label;
  }
}
