#include "device/cpu/words.h"

extern snug__words_loop SNUG__EACH_ISA(snug__loop_words_);

snug__words_loop *snug__words_of(snug__isa isa) {
  static snug__words_loop *const loops[SNUG__ISA_COUNT] = {SNUG__EACH_ISA(&snug__loop_words_)};
  return loops[isa];
}
