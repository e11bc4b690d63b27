#include "ops/support.h"

const snug__op *const snug__op_table[] = {
#define OP(name) &snug__op_##name,
#include "ops/ops.def"
#undef OP
};

const int32_t snug__op_count = (int32_t)SNUG_COUNT(snug__op_table);

const snug__op *snug__op_find(const char *name) {
  for (int32_t i = 0; i < snug__op_count; i++) {
    if (strcmp(snug__op_table[i]->name, name) == 0) {
      return snug__op_table[i];
    }
  }
  return NULL;
}

static double bytes_of(const snug__type *types, int32_t n) {
  double sum = 0.0;
  for (int32_t i = 0; i < n; i++) {
    sum += types[i].dtype ? (double)snug__type_bytes(&types[i]) : 0.0;
  }
  return sum;
}

snug__cost snug__op_cost(const snug__signature *sig) {
  if (sig->op->cost) {
    return sig->op->cost(sig);
  }
  double elements = sig->n_out ? (double)snug__type_count(&sig->out[0]) : 0.0;
  return (snug__cost){elements, snug__bytes_moved(sig)};
}

double snug__bytes_moved(const snug__signature *sig) {
  return bytes_of(sig->in, sig->n_in) + bytes_of(sig->out, sig->n_out);
}

snug__cost snug__move_cost(const snug__signature *sig) {
  return (snug__cost){0.0, snug__bytes_moved(sig)};
}
