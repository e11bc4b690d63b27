/* Reading the chunks of a dataset: one at a time, unpacked into one block, then row by row to where
 * its elements belong. */
#include <string.h>
#include <zlib.h>

#include "base/size.h"
#include "keras/h5_file.h"

#define PIECE 8192
#define SPARE ((int64_t)16 << 20) /* bytes that small datasets may be padded by */
#define MOST_PADDING 16           /* how often larger ones may fill their chunks */
#define CHECKSUM_BYTES 4

typedef struct reading {
  snug__h5 *h5;
  const snug__h5_stored *d;
  const char *path;
  const snug__h5_target *to;
  uint8_t *block;                /* one chunk, not packed */
  int64_t across[SNUG_MAX_RANK]; /* chunks along each axis */
  bool is_shuffled;              /* the chunk in the block */
} reading;

static snug_status fail_chunk(const reading *r) {
  return SNUG__BAD_H5(r->h5, "%s is damaged: one of its chunks cannot be unpacked", r->path);
}

static snug_status inflate_chunk(reading *r, z_stream *z, uint64_t address, uint64_t bytes) {
  uint8_t piece[PIECE];
  int code = Z_OK;
  while (bytes > 0 && code == Z_OK) {
    size_t n = (size_t)(bytes < PIECE ? bytes : PIECE);
    SNUG_TRY(snug__h5_read_data(r->h5, piece, n, address));
    z->next_in = piece;
    z->avail_in = (uInt)n;
    code = inflate(z, Z_NO_FLUSH);
    address += n;
    bytes -= n;
  }
  return code == Z_STREAM_END && z->avail_out == 0 ? SNUG_OK : fail_chunk(r);
}

static snug_status unpack(reading *r, uint64_t address, uint64_t bytes) {
  z_stream z = {.next_out = r->block, .avail_out = (uInt)r->d->chunk_bytes};
  if (inflateInit(&z) != Z_OK) {
    return snug__fail(r->h5->ctx, SNUG_E_MEMORY, "%s: no memory to unpack %s", r->h5->file,
                      r->path);
  }
  snug_status s = inflate_chunk(r, &z, address, bytes);
  inflateEnd(&z);
  return s;
}

/* Bring a chunk into the block, through those filters that were used on it. */
static snug_status load(reading *r, const snug__h5_chunk *chunk) {
  uint64_t bytes = chunk->bytes;
  bool is_packed = false;
  r->is_shuffled = false;
  for (uint32_t i = 0; i < r->d->n_filters; i++) {
    bool used = !(chunk->mask >> i & 1);
    r->is_shuffled |= used && r->d->filter[i] == SNUG__H5_SHUFFLE;
    is_packed |= used && r->d->filter[i] == SNUG__H5_DEFLATE;
    if (used && r->d->filter[i] == SNUG__H5_CHECKSUM) {
      bytes -= bytes < CHECKSUM_BYTES ? bytes : CHECKSUM_BYTES;
    }
  }
  if (!snug__h5_inside(r->h5, chunk->address, bytes)) {
    return fail_chunk(r);
  }
  if (is_packed) {
    return unpack(r, chunk->address, bytes);
  }
  if (bytes != (uint64_t)r->d->chunk_bytes) {
    return fail_chunk(r);
  }
  return snug__h5_read_data(r->h5, r->block, (size_t)bytes, chunk->address);
}

/* n elements of the block, from one on, to the target.  Shuffled are the bytes: all first ones, all
 * second ones, and so on. */
static void move_row(const reading *r, int64_t from, int64_t to, int64_t n) {
  uint8_t piece[PIECE];
  int64_t size = (int64_t)r->d->type.bytes, elements = r->d->chunk_bytes / size;
  if (!r->is_shuffled) {
    snug__h5_convert(&r->d->type, r->block + from * size, r->to, to, n);
    return;
  }
  for (int64_t i = 0; i < n; i += PIECE / size) {
    int64_t here = snug__min_i64(PIECE / size, n - i);
    for (int64_t k = 0; k < here * size; k++) {
      piece[k] = r->block[k % size * elements + from + i + k / size];
    }
    snug__h5_convert(&r->d->type, piece, r->to, to + i, here);
  }
}

/* The rows of a chunk whose first element stands at `origin`; what lies beyond the dataset is left
 * out. */
static void move_rows(const reading *r, int32_t axis, const int64_t *origin, int64_t from,
                      int64_t to) {
  const snug__h5_shape *shape = &r->d->shape;
  int64_t n = snug__min_i64(r->d->chunk[axis], shape->dim[axis] - origin[axis]);
  if (axis == shape->rank - 1) {
    move_row(r, from * r->d->chunk[axis], to * shape->dim[axis] + origin[axis], n);
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    move_rows(r, axis + 1, origin, from * r->d->chunk[axis] + i,
              to * shape->dim[axis] + origin[axis] + i);
  }
}

/* from and to count in units of what lies below the axis: the next level multiplies. */
static snug_status visit(void *arg, int64_t number, const snug__h5_chunk *chunk) {
  reading *r = arg;
  int64_t origin[SNUG_MAX_RANK];
  SNUG_TRY(load(r, chunk));
  for (int32_t i = r->d->shape.rank - 1; i >= 0; i--) {
    origin[i] = number % r->across[i] * r->d->chunk[i];
    number /= r->across[i];
  }
  move_rows(r, 0, origin, 0, 0);
  return SNUG_OK;
}

/* A file must not make us unpack much more than its datasets hold. */
static snug_status check_padding(reading *r) {
  const snug__h5_stored *d = r->d;
  int64_t all = d->chunk_bytes;
  bool good = d->chunk_bytes <= SPARE + d->bytes && d->chunk_bytes <= UINT32_MAX;
  for (int32_t i = 0; i < d->shape.rank; i++) {
    r->across[i] = (d->shape.dim[i] - 1) / d->chunk[i] + 1;
    good = good && snug__mul_i64(all, r->across[i], &all);
  }
  if (!good || (all - SPARE) / MOST_PADDING > d->bytes) {
    return SNUG__BAD_H5(r->h5,
                        "%s is kept in chunks that are too large for it; repack the file: "
                        "h5repack -l CONTI",
                        r->path);
  }
  return SNUG_OK;
}

snug_status snug__h5_read_chunks(snug__h5 *h5, const snug__h5_stored *d, const char *path,
                                 const snug__h5_target *to) {
  reading r = {.h5 = h5, .d = d, .path = path, .to = to};
  SNUG_TRY(check_padding(&r));
  SNUG_TRY(SNUG_NEW_ARRAY(h5->ctx, SNUG__MEM_SCRATCH, d->chunk_bytes, &r.block));
  snug_status s = snug__h5_each_chunk(h5, d, path, visit, &r);
  SNUG_GIVE_ARRAY(h5->ctx, SNUG__MEM_SCRATCH, r.block, d->chunk_bytes);
  return s;
}
