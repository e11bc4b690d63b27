/* Random words of many counters at once, the same as those of snug__philox_at. */
#ifndef SNUG_DEVICE_CPU_WORDS_H
#define SNUG_DEVICE_CPU_WORDS_H

#include <stdint.h>

#include "base/isa.h"

#define SNUG__COUNTERS 32
#define SNUG__WORDS (4 * SNUG__COUNTERS)

/* The words of the counters low, low + 1, ...: four of each. */
typedef void snug__words_loop(uint64_t key, uint64_t low, uint64_t high,
                              uint32_t words[SNUG__WORDS]);

/* The loop of an instruction set. */
snug__words_loop *snug__words_of(snug__isa isa);

#endif
