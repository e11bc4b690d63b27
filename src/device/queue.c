/* What holds for the queue of every device. */
#include "base/ctx.h"
#include "base/size.h"
#include "device/device.h"

snug_status snug__queue_wait(snug__queue *q, const snug__call **call) {
  q->device->wait(q, q->device->record(q));
  snug_status failed = q->failed;
  *call = q->call;
  q->failed = SNUG_OK;
  q->call = NULL;
  return failed;
}

void snug__queue_settle(snug__queue *q) { q->device->wait(q, q->device->record(q)); }

/* ---- sessions ---- */

int64_t snug__queue_enter_cost(const snug__queue *q) {
  return q->n_sessions ? 0 : q->device->enter_cost(q);
}

snug_status snug__queue_enter(snug__queue *q) {
  SNUG_TRY(q->n_sessions ? SNUG_OK : q->device->enter(q));
  q->n_sessions++;
  return SNUG_OK;
}

void snug__queue_leave(snug__queue *q) {
  if (--q->n_sessions == 0) {
    q->device->leave(q);
  }
}

/* ---- bytes ---- */

void snug__device_read(snug__queue *q, void *to, snug__place from, int64_t bytes) {
  q->device->copy_out(q, to, from, bytes);
  snug__queue_settle(q);
}

void snug__device_write(snug__queue *q, snug__place to, const void *from, int64_t bytes) {
  q->device->copy_in(q, to, from, bytes);
  snug__queue_settle(q);
}

void *snug__device_host(const snug__queue *q, snug__place at) {
  return q->device->is_host ? snug__place_pointer(at) : NULL;
}

/* ---- blocks ---- */

snug_status snug__block_take(snug__queue *q, int64_t bytes, snug__block *out) {
  *out = (snug__block){0};
  SNUG_TRY(q->device->take(q, SNUG__MEM_WORK, snug__block_cost(bytes), &out->taken));
  out->at = snug__place_after(
      out->taken, SNUG__BLOCK_ALIGN - (int64_t)(out->taken.device_address % SNUG__BLOCK_ALIGN));
  out->bytes = bytes;
  return SNUG_OK;
}

void snug__block_give(snug__queue *q, snug__block *block) {
  if (snug__place_is_set(block->taken)) {
    q->device->give(q, SNUG__MEM_WORK, block->taken, snug__block_cost(block->bytes));
  }
  *block = (snug__block){0};
}
