/* Headers of version 1, and the ones of datasets. */
#include <string.h>

#include "base/size.h"
#include "keras/h5_out.h"

#define HEADER_HEAD 16
#define MESSAGE_HEAD 8

void snug__h5_header_init(snug__h5_header *h) {
  *h = (snug__h5_header){0};
  h->at = h->bytes + HEADER_HEAD;
}

void snug__h5_message_begin(snug__h5_header *h, uint32_t kind) {
  h->message = h->at;
  snug__put(&h->at, kind, 2);
  snug__put(&h->at, 0, 6);
  h->n++;
}

/* The length of a message is known at its end; it is padded to whole 8 bytes. */
void snug__h5_message_end(snug__h5_header *h) {
  uint8_t *length = h->message + 2;
  while ((h->at - h->bytes) % 8) {
    snug__put(&h->at, 0, 1);
  }
  snug__put(&length, (uint64_t)(h->at - h->message - MESSAGE_HEAD), 2);
}

snug_status snug__h5_put_header(snug__h5_writer *w, snug__h5_header *h, uint64_t *address) {
  uint8_t *at = h->bytes;
  size_t n = (size_t)(h->at - h->bytes);
  snug__put(&at, 1, 2);
  snug__put(&at, h->n, 2);
  snug__put(&at, 1, 4); /* one link leads here */
  snug__put(&at, n - HEADER_HEAD, 4);
  return snug__h5_put(w, h->bytes, n, address);
}

/* An integer, also the one that an enumeration or a text is made of. */
static void put_integer(uint8_t **at, uint64_t bytes, bool is_signed) {
  snug__put(at, 0x10, 1);
  snug__put(at, is_signed ? 8 : 0, 3);
  snug__put(at, bytes, 4);
  snug__put(at, 0, 2);
  snug__put(at, bytes * 8, 2);
}

static void put_float(uint8_t **at, uint64_t bytes, uint64_t exponent_bits) {
  uint64_t bits = bytes * 8, mantissa_bits = bits - 1 - exponent_bits;
  snug__put(at, 0x11, 1);
  snug__put(at, 0x20 | (bits - 1) << 8, 3); /* a leading one that is not stored; the sign */
  snug__put(at, bytes, 4);
  snug__put(at, 0, 2);
  snug__put(at, bits, 2);
  snug__put(at, mantissa_bits, 1);
  snug__put(at, exponent_bits, 1);
  snug__put(at, 0, 1);
  snug__put(at, mantissa_bits, 1);
  snug__put(at, (1u << (exponent_bits - 1)) - 1, 4);
}

/* NumPy's bool: an enumeration of two names. */
static void put_bool(uint8_t **at) {
  static const char names[16] = "FALSE\0\0\0TRUE";
  snug__put(at, 0x18, 1);
  snug__put(at, 2, 3);
  snug__put(at, 1, 4);
  put_integer(at, 1, true);
  memcpy(*at, names, sizeof names);
  *at += sizeof names;
  snug__put(at, 0, 1);
  snug__put(at, 1, 1);
}

static void put_type(uint8_t **at, snug_dtype dtype) {
  uint64_t bytes = snug_dtype_bytes(dtype);
  switch (dtype) {
    case SNUG_FLOAT32:
      put_float(at, bytes, 8);
      break;
    case SNUG_FLOAT64:
      put_float(at, bytes, 11);
      break;
    case SNUG_FLOAT16:
      put_float(at, bytes, 5);
      break;
    case SNUG_BFLOAT16: /* bytes without a meaning; an attribute tells it */
      snug__put(at, 0x15, 1);
      snug__put(at, 0, 3);
      snug__put(at, bytes, 4);
      break;
    case SNUG_BOOL:
      put_bool(at);
      break;
    default:
      put_integer(at, bytes, dtype != SNUG_UINT8);
  }
}

static void put_space(uint8_t **at, int32_t rank, const int64_t *dim) {
  snug__put(at, 1, 1);
  snug__put(at, (uint64_t)rank, 1);
  snug__put(at, 0, 6);
  for (int32_t i = 0; i < rank; i++) {
    snug__put(at, (uint64_t)dim[i], 8);
  }
}

/* A fill value that is the default, written late: what HDF5 itself says about a plain dataset. */
static void put_fill(snug__h5_header *h) {
  snug__h5_message_begin(h, 0x05);
  snug__put(&h->at, 2, 1);
  snug__put(&h->at, 2, 1);
  snug__put(&h->at, 2, 1);
  snug__put(&h->at, 1, 1);
  snug__put(&h->at, 0, 4);
  snug__h5_message_end(h);
}

static void put_layout(snug__h5_header *h, uint64_t address, uint64_t bytes) {
  snug__h5_message_begin(h, 0x08);
  snug__put(&h->at, 3, 1);
  snug__put(&h->at, 1, 1); /* contiguous */
  snug__put(&h->at, address, 8);
  snug__put(&h->at, bytes, 8);
  snug__h5_message_end(h);
}

static snug_status put_elements(snug__h5_writer *w, const void *data, uint64_t bytes,
                                uint64_t *address) {
  *address = SNUG__H5_UNSET;
  return bytes ? snug__h5_put(w, data, (size_t)bytes, address) : SNUG_OK;
}

snug_status snug__h5_put_data(snug__h5_writer *w, snug_dtype dtype, int32_t rank,
                              const int64_t *dim, const void *data, uint64_t *address) {
  snug__h5_header h;
  uint64_t bytes = snug_dtype_bytes(dtype), elements = 0;
  for (int32_t i = 0; i < rank; i++) {
    bytes *= (uint64_t)dim[i];
  }
  SNUG_TRY(put_elements(w, data, bytes, &elements));
  snug__h5_header_init(&h);
  snug__h5_message_begin(&h, 0x01);
  put_space(&h.at, rank, dim);
  snug__h5_message_end(&h);
  snug__h5_message_begin(&h, 0x03);
  put_type(&h.at, dtype);
  snug__h5_message_end(&h);
  put_fill(&h);
  put_layout(&h, elements, bytes);
  if (dtype == SNUG_BFLOAT16) {
    SNUG_TRY(snug__h5_put_text(w, &h, "dtype", "bfloat16"));
  }
  return snug__h5_put_header(w, &h, address);
}
