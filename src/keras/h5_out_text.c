/* Texts of any length stand in heaps that all objects share; a reference names heap and number. */
#include <string.h>

#include "base/size.h"
#include "keras/h5_out.h"

#define HEAP_BYTES 4096 /* the least that HDF5 takes */
#define HEAP_HEAD 16
#define TEXT_HEAD 16

void snug__h5_drop_texts(snug__h5_writer *w) {
  SNUG_GIVE_ARRAY(w->ctx, SNUG__MEM_SCRATCH, w->texts.bytes, w->texts.size);
  w->texts = (snug__h5_texts_out){0};
}

/* What is left over is an object of its own, with the number 0. */
snug_status snug__h5_end_texts(snug__h5_writer *w) {
  snug__h5_texts_out *t = &w->texts;
  if (!t->bytes) {
    return SNUG_OK;
  }
  if (t->size - t->used >= TEXT_HEAD) {
    uint8_t *at = t->bytes + t->used;
    snug__put(&at, 0, 8);
    snug__put(&at, t->size - t->used, 8);
  }
  snug_status s = snug__h5_put_at(w, t->bytes, t->size, t->address);
  snug__h5_drop_texts(w);
  return s;
}

static snug_status begin_heap(snug__h5_writer *w, size_t need) {
  snug__h5_texts_out *t = &w->texts;
  size_t size = need + HEAP_HEAD > HEAP_BYTES ? need + HEAP_HEAD : HEAP_BYTES;
  SNUG_TRY(snug__h5_end_texts(w));
  SNUG_TRY(SNUG_NEW_ARRAY(w->ctx, SNUG__MEM_SCRATCH, size, &t->bytes));
  t->size = size;
  t->used = HEAP_HEAD;
  t->address = (uint64_t)w->end;
  w->end += (int64_t)size;
  memcpy(t->bytes, "GCOL\1", 5);
  uint8_t *at = t->bytes + 8;
  snug__put(&at, size, 8);
  return SNUG_OK;
}

static snug_status add_text(snug__h5_writer *w, const char *text, size_t n) {
  snug__h5_texts_out *t = &w->texts;
  size_t need = TEXT_HEAD + (size_t)snug__round_up((int64_t)n, 8);
  if (!t->bytes || t->size - t->used < need) {
    SNUG_TRY(begin_heap(w, need));
  }
  uint8_t *at = t->bytes + t->used;
  snug__put(&at, ++t->n, 8);
  snug__put(&at, n, 8);
  memcpy(at, text, n);
  t->used += need;
  return SNUG_OK;
}

snug_status snug__h5_put_text(snug__h5_writer *w, snug__h5_header *h, const char *name,
                              const char *text) {
  size_t n = strlen(text), name_bytes = strlen(name) + 1;
  SNUG_TRY(add_text(w, text, n));
  snug__h5_message_begin(h, 0x0c);
  snug__put(&h->at, 1, 2);
  snug__put(&h->at, name_bytes, 2);
  snug__put(&h->at, 20, 2); /* bytes of the type */
  snug__put(&h->at, 8, 2);  /* and of the shape, which is that of a single element */
  memcpy(h->at, name, name_bytes);
  h->at += snug__round_up((int64_t)name_bytes, 8);
  snug__put(&h->at, 0x010119, 4); /* a text of variable length, in UTF-8 */
  snug__put(&h->at, 16, 4);
  snug__put(&h->at, 0x10, 4); /* made of unsigned integers of one byte */
  snug__put(&h->at, 1, 4);
  snug__put(&h->at, 8u << 16, 8);
  snug__put(&h->at, 1, 8);
  snug__put(&h->at, n, 4);
  snug__put(&h->at, w->texts.address, 8);
  snug__put(&h->at, w->texts.n, 4);
  snug__h5_message_end(h);
  return SNUG_OK;
}
