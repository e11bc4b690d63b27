#include "device/cpu/wino.h"

extern const snug__wino SNUG__EACH_ISA(snug__loop_wino_);

const snug__wino *snug__wino_of(snug__isa isa) {
  static const snug__wino *const all[SNUG__ISA_COUNT] = {SNUG__EACH_ISA(&snug__loop_wino_)};
  return all[isa]->lanes ? all[isa] : NULL;
}
