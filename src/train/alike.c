#include "train/alike.h"

#include "base/timings.h"

#define ABOUT 1.25 /* times as much work, or less */
#define ROUGHLY 2.0

static bool is_within(double factor, const snug__cost *a, const snug__cost *b) {
  return a->flops <= factor * b->flops && b->flops <= factor * a->flops &&
         a->bytes <= factor * b->bytes && b->bytes <= factor * a->bytes;
}

static bool is_like_data(const snug__type *a, const snug__type *b, bool is_small) {
  bool is_like = a->dtype == b->dtype && a->layout == b->layout && a->rank == b->rank;
  for (int32_t i = 0; is_like && !is_small && i + 1 < a->rank; i++) {
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

static bool is_alike(const snug__alike *timed, const snug__alike *call) {
  return timed->op == call->op && timed->kernel == call->kernel && timed->how == call->how &&
         timed->far_in == call->far_in && timed->far_out == call->far_out &&
         is_like_data(&timed->first, &call->first, call->is_small) &&
         is_within(call->is_small ? ROUGHLY : ABOUT, &timed->cost, &call->cost);
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
