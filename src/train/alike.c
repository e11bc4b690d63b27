#include "train/alike.h"

#include "base/timings.h"

#define ABOUT 1.25 /* times as much work, or less */

static bool is_about(double a, double b) { return a <= ABOUT * b && b <= ABOUT * a; }

static bool is_like_data(const snug__type *a, const snug__type *b) {
  bool is_like = a->dtype == b->dtype && a->layout == b->layout && a->rank == b->rank;
  for (int32_t i = 0; is_like && i + 1 < a->rank; i++) {
    is_like = a->dim[i] == b->dim[i];
  }
  return is_like;
}

uint64_t snug__alike_how(const snug__op *op, const void *params) {
  uint64_t key = SNUG__KEY_START;
  for (const snug__field *f = op->fields; params && f && f->name; f++) {
    const char *at = (const char *)params + f->offset;
    key = f->kind == SNUG__FIELD_BOOL     ? snug__key_add(key, at, sizeof(bool))
          : f->kind == SNUG__FIELD_CHOICE ? snug__key_add(key, at, sizeof(int32_t))
                                          : key;
  }
  return key;
}

static bool is_alike(const snug__alike *a, const snug__alike *b) {
  return a->op == b->op && a->kernel == b->kernel && a->how == b->how && a->far_in == b->far_in &&
         a->far_out == b->far_out && is_like_data(&a->first, &b->first) &&
         is_about(a->cost.flops, b->cost.flops) && is_about(a->cost.bytes, b->cost.bytes);
}

bool snug__alike_find(const snug__vec *list, const snug__alike *call, double *seconds) {
  for (size_t i = 0; i < list->n; i++) {
    const snug__alike *timed = &SNUG_VEC(list, snug__alike, i);
    if (is_alike(timed, call) && timed->guessed > 0.0) {
      *seconds = timed->seconds * call->guessed / timed->guessed;
      return true;
    }
  }
  return false;
}
