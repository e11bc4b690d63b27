/* Attributes that are texts, or lists of texts: of a fixed length in the message itself, or of any
 * length in a heap that all objects share. */
#include <string.h>

#include "base/size.h"
#include "keras/h5_file.h"

#define MOST_TEXTS 65536
#define REFERENCE_BYTES 16 /* of a text that stands elsewhere: length, heap, number */
#define HEAP_HEAD 16
#define OBJECT_HEAD 16
#define MOST_IN_HEAP 65535

/* The attribute that is looked for. */
typedef struct wanted {
  const char *name;
  bool found;
  bool is_broken;
  snug__h5_type type;
  int64_t n;
  const uint8_t *data; /* lent by the object, or copied */
  size_t bytes;
  snug__arena copy; /* of data from a heap */
} wanted;

/* In version 1 each part is padded to whole 8 bytes. */
static snug__cursor part(snug__cursor *c, uint64_t bytes, uint64_t version) {
  const uint8_t *from = snug__skip(c, (size_t)(version == 1 ? (bytes + 7) / 8 * 8 : bytes));
  return from ? snug__cursor_of(from, (size_t)bytes) : snug__cursor_of(NULL, 0);
}

static bool is_text(const snug__h5_type *type) {
  return type->kind == SNUG__H5_TEXT || type->kind == SNUG__H5_TEXT_ELSEWHERE;
}

/* Look at one attribute; a type or shape that is not that of texts counts as broken.  An empty list
 * may be of any type: Python's has none of its own, and Keras writes it as one of floats. */
static bool match(wanted *a, snug__cursor c) {
  uint64_t version = snug__get(&c, 1), flags = snug__get(&c, 1);
  uint64_t name_bytes = snug__get(&c, 2), type_bytes = snug__get(&c, 2), space_bytes;
  space_bytes = snug__get(&c, 2);
  snug__skip(&c, version == 3 ? 1 : 0);
  snug__cursor name = part(&c, name_bytes, version);
  snug__cursor type = part(&c, type_bytes, version), space = part(&c, space_bytes, version);
  size_t n = strlen(a->name);
  if (c.over || name_bytes != n + 1 || memcmp(name.at, a->name, n + 1) != 0) {
    return false;
  }
  snug__h5_shape shape;
  bool good =
      version >= 1 && version <= 3 && (version == 1 || !(flags & 3)) &&
      snug__h5_read_type(type, &a->type) && snug__h5_read_shape(space, &shape) &&
      (shape.elements == 0 || (is_text(&a->type) && shape.elements <= MOST_TEXTS &&
                               (uint64_t)shape.elements <= snug__cursor_left(&c) / a->type.bytes));
  a->found = true;
  a->is_broken = !good;
  a->n = good ? shape.elements : 0;
  a->data = c.at;
  a->bytes = snug__cursor_left(&c);
  return true;
}

/* What a heap holds does not stay: the data are copied. */
static snug_status visit(snug__h5 *h5, void *arg, snug__cursor c) {
  wanted *a = arg;
  void *copy = NULL;
  (void)h5;
  if (a->found || !match(a, c)) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__arena_take(&a->copy, a->bytes + 1, &copy));
  if (a->bytes > 0) {
    memcpy(copy, a->data, a->bytes);
  }
  a->data = copy;
  return SNUG_OK;
}

static snug_status find_in_heap(snug__h5 *h5, const snug__h5_message *info, wanted *a) {
  snug__cursor c = snug__cursor_of(info->body, info->bytes);
  snug__skip(&c, 1);
  uint64_t flags = snug__get(&c, 1);
  snug__skip(&c, flags & 1 ? 2 : 0);
  uint64_t heap = snug__get(&c, 8), tree = snug__get(&c, 8);
  if (c.over) {
    return SNUG__BAD_H5(h5, "is damaged: the attributes of an object cannot be read");
  }
  return heap == SNUG__H5_NOWHERE ? SNUG_OK : snug__h5_heap_each(h5, heap, tree, visit, a);
}

static snug_status find(snug__h5 *h5, uint64_t object, wanted *a) {
  const snug__h5_object *o = NULL;
  SNUG_TRY(snug__h5_object_at(h5, object, &o));
  const snug__h5_message *info = snug__h5_find(o, SNUG__H5_ATTRIBUTE_INFO);
  for (size_t i = 0; i < o->messages.n && !a->found; i++) {
    const snug__h5_message *m = &SNUG_VEC(&o->messages, snug__h5_message, i);
    if (m->kind == SNUG__H5_ATTRIBUTE && !m->is_shared) {
      match(a, snug__cursor_of(m->body, m->bytes));
    }
  }
  if (!a->found && info) {
    SNUG_TRY(find_in_heap(h5, info, a));
  }
  if (a->is_broken) {
    return SNUG__BAD_H5(h5, "the attribute %s is damaged or no text", a->name);
  }
  return SNUG_OK;
}

static snug_status copy_text(snug__h5 *h5, const wanted *a, const void *text, size_t n, char *out,
                             size_t bytes) {
  const void *end = memchr(text, 0, n);
  n = end ? (size_t)((const char *)end - (const char *)text) : n;
  if (n >= bytes) {
    return SNUG__BAD_H5(h5, "a text of attribute %s has %zu bytes; at most %zu are read", a->name,
                        n, bytes - 1);
  }
  memcpy(out, text, n);
  out[n] = 0;
  return SNUG_OK;
}

/* Find an object of the shared heap by its number: they stand behind each other. */
static snug_status find_shared(snug__h5 *h5, uint64_t heap, uint64_t number, uint64_t *address,
                               uint64_t *bytes) {
  uint8_t head[HEAP_HEAD];
  SNUG_TRY(snug__h5_read(h5, head, sizeof head, heap));
  snug__cursor c = snug__cursor_of(head + 8, 8);
  uint64_t end = snug__get(&c, 8), at = HEAP_HEAD;
  if (memcmp(head, "GCOL", 4) != 0 || !snug__h5_inside(h5, heap, end)) {
    return SNUG__BAD_H5(h5, "is damaged: a heap of texts cannot be read");
  }
  for (int i = 0; i < MOST_IN_HEAP && at + OBJECT_HEAD <= end; i++) {
    SNUG_TRY(snug__h5_read(h5, head, OBJECT_HEAD, heap + at));
    c = snug__cursor_of(head, OBJECT_HEAD);
    uint64_t index = snug__get(&c, 2);
    snug__skip(&c, 6);
    *bytes = snug__get(&c, 8);
    at += OBJECT_HEAD;
    if (index == 0 || *bytes > end - at) {
      break;
    }
    if (index == number) {
      *address = heap + at;
      return SNUG_OK;
    }
    at += (*bytes + 7) / 8 * 8;
  }
  return SNUG__BAD_H5(h5, "is damaged: a text is not in its heap");
}

static snug_status read_shared(snug__h5 *h5, const wanted *a, size_t i, char *out, size_t bytes) {
  snug__cursor c = snug__cursor_of(a->data + i * REFERENCE_BYTES, REFERENCE_BYTES);
  uint64_t n = snug__get(&c, 4), heap = snug__get(&c, 8), number = snug__get(&c, 4);
  uint64_t address = 0, most = 0;
  out[0] = 0;
  if (n == 0) {
    return SNUG_OK;
  }
  SNUG_TRY(find_shared(h5, heap, number, &address, &most));
  if (n > most || n >= bytes) {
    return SNUG__BAD_H5(h5, "a text of attribute %s has %llu bytes; at most %zu are read", a->name,
                        (unsigned long long)n, bytes - 1);
  }
  SNUG_TRY(snug__h5_read(h5, out, (size_t)n, address));
  out[n] = 0;
  return SNUG_OK;
}

snug_status snug__h5_attribute(snug__h5 *h5, uint64_t object, const char *name, size_t i, char *out,
                               size_t bytes, size_t *n) {
  wanted a = {.name = name};
  snug__arena_init(&a.copy, h5->ctx, SNUG__MEM_SCRATCH);
  snug_status s = find(h5, object, &a);
  *n = (size_t)a.n;
  if (!s && out && i < *n) {
    s = a.type.kind == SNUG__H5_TEXT
            ? copy_text(h5, &a, a.data + i * a.type.bytes, a.type.bytes, out, bytes)
            : read_shared(h5, &a, i, out, bytes);
  }
  snug__arena_release(&a.copy);
  return s;
}

/* Lists of more than 64 KiB are split by Keras: name0, name1 and so on. */
static snug_status each_part(snug__h5 *h5, const char *group, const char *attribute, size_t i,
                             char *out, size_t bytes, size_t *total) {
  uint64_t object = 0;
  bool found = false;
  char part_name[256];
  size_t n = 0;
  *total = 0;
  SNUG_TRY(snug__h5_resolve(h5, group, &object, &found));
  if (!found) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__h5_attribute(h5, object, attribute, i, out, bytes, total));
  for (int k = 0; *total == 0 || k > 0; k++) {
    snprintf(part_name, sizeof part_name, "%s%d", attribute, k);
    bool is_here = i >= *total;
    SNUG_TRY(snug__h5_attribute(h5, object, part_name, is_here ? i - *total : 0,
                                is_here ? out : NULL, bytes, &n));
    if (n == 0) {
      return SNUG_OK;
    }
    *total += n;
  }
  return SNUG_OK;
}

snug_status snug__h5_texts(snug__h5 *h5, const char *group, const char *attribute, size_t *n) {
  return each_part(h5, group, attribute, 0, NULL, 0, n);
}

snug_status snug__h5_text(snug__h5 *h5, const char *group, const char *attribute, size_t i,
                          char *out, size_t bytes) {
  size_t n = 0;
  SNUG_TRY(each_part(h5, group, attribute, i, out, bytes, &n));
  if (i >= n) {
    return SNUG__BAD_H5(h5, "attribute %s of '%s' has %zu texts, not %zu", attribute, group, n,
                        i + 1);
  }
  return SNUG_OK;
}
