/* Random words for what is no kernel; see ../words.h. */
#include "device/cpu/loops/isa.h"
#include "device/cpu/loops/philox.h"

snug__words_loop SNUG_LOOP(words);

void SNUG_LOOP(words)(uint64_t key, uint64_t low, uint64_t high, uint32_t words[SNUG__WORDS]) {
  uint64_t counters[SNUG__COUNTERS];
  for (uint64_t i = 0; i < SNUG__COUNTERS; i++) {
    counters[i] = low + i;
  }
  snug__make_words(key, counters, high, words);
}
