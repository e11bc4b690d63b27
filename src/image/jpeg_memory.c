/* What libjpeg's own manager does with malloc and files, with a slab in the place of both.  Virtual
 * arrays are plain ones: all of them are in memory, as the slab was measured for that. */
#include "image/jpeg_memory.h"

#include <string.h>

#include <jerror.h>

#include "base/size.h"

/* libjpeg-turbo's vector code writes whole registers, up to this many bytes behind a row's last. */
#define ROW_ALIGN ((size_t)64)

/* What libjpeg calls jvirt_barray_control and knows as a pointer. */
typedef struct blocks {
  JBLOCKARRAY rows;
  JDIMENSION n;
} blocks;

static snug__jpeg_memory *memory_of(j_common_ptr info) { return (snug__jpeg_memory *)info->mem; }

static void *take(j_common_ptr info, int pool_id, size_t bytes) {
  (void)pool_id; /* nothing outlives its image */
  snug__jpeg_memory *m = memory_of(info);
  void *piece = m->slab ? snug__slab_take(m->slab, bytes) : NULL;
  if (!piece) {
    m->is_out = true;
    ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
  }
  return piece;
}

/* Rows of this many bytes behind the pointers to them. */
static void *take_rows(j_common_ptr info, int pool_id, size_t row_bytes, size_t rows) {
  size_t stride = (row_bytes + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
  size_t bytes = 0;
  if (!snug__mul_size(stride, rows, &bytes)) {
    bytes = SIZE_MAX; /* which is refused */
  }
  uint8_t **pointers = take(info, pool_id, rows * sizeof *pointers);
  uint8_t *first = take(info, pool_id, bytes);
  for (size_t i = 0; i < rows; i++) {
    pointers[i] = first + i * stride;
  }
  return pointers;
}

static JSAMPARRAY take_samples(j_common_ptr info, int pool_id, JDIMENSION samples,
                               JDIMENSION rows) {
  return take_rows(info, pool_id, samples, rows);
}

static JBLOCKARRAY take_blocks(j_common_ptr info, int pool_id, JDIMENSION n, JDIMENSION rows) {
  return take_rows(info, pool_id, (size_t)n * sizeof(JBLOCK), rows);
}

static jvirt_barray_ptr request_blocks(j_common_ptr info, int pool_id, boolean pre_zero,
                                       JDIMENSION n, JDIMENSION rows, JDIMENSION max_access) {
  (void)max_access;
  blocks *b = take(info, pool_id, sizeof *b);
  *b = (blocks){take_blocks(info, pool_id, n, rows), rows};
  for (JDIMENSION i = 0; pre_zero && i < rows; i++) {
    memset(b->rows[i], 0, (size_t)n * sizeof(JBLOCK));
  }
  return (jvirt_barray_ptr)b;
}

static JBLOCKARRAY access_blocks(j_common_ptr info, jvirt_barray_ptr array, JDIMENSION start,
                                 JDIMENSION rows, boolean writable) {
  (void)writable;
  blocks *b = (blocks *)array;
  if (start > b->n || rows > b->n - start) {
    ERREXIT(info, JERR_BAD_VIRTUAL_ACCESS);
  }
  return b->rows + start;
}

/* Only for the two passes of color quantization, which nobody asks for. */
static jvirt_sarray_ptr request_samples(j_common_ptr info, int pool_id, boolean pre_zero,
                                        JDIMENSION samples, JDIMENSION rows,
                                        JDIMENSION max_access) {
  (void)pool_id, (void)pre_zero, (void)samples, (void)rows, (void)max_access;
  ERREXIT(info, JERR_NOT_COMPILED);
  return NULL;
}

static JSAMPARRAY access_samples(j_common_ptr info, jvirt_sarray_ptr array, JDIMENSION start,
                                 JDIMENSION rows, boolean writable) {
  (void)array, (void)start, (void)rows, (void)writable;
  ERREXIT(info, JERR_BAD_VIRTUAL_ACCESS);
  return NULL;
}

static void realize(j_common_ptr info) { (void)info; }

static void free_pool(j_common_ptr info, int pool_id) { (void)info, (void)pool_id; }

static void self_destruct(j_common_ptr info) { (void)info; }

void snug__jpeg_memory_init(snug__jpeg_memory *m) {
  *m = (snug__jpeg_memory){.pub = {.alloc_small = take,
                                   .alloc_large = take,
                                   .alloc_sarray = take_samples,
                                   .alloc_barray = take_blocks,
                                   .request_virt_sarray = request_samples,
                                   .request_virt_barray = request_blocks,
                                   .realize_virt_arrays = realize,
                                   .access_virt_sarray = access_samples,
                                   .access_virt_barray = access_blocks,
                                   .free_pool = free_pool,
                                   .self_destruct = self_destruct,
                                   .max_alloc_chunk = 1000000000}};
}
