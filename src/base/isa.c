#include "base/isa.h"

#include <string.h>

static const char *const texts[SNUG__ISA_COUNT] = {
#define SNUG__ISA_TEXT(NAME, name) #name,
    SNUG__ISA_LIST(SNUG__ISA_TEXT)
#undef SNUG__ISA_TEXT
};

const char *snug__isa_text(snug__isa isa) { return isa < SNUG__ISA_COUNT ? texts[isa] : "none"; }

snug__isa snug__isa_find(const char *text) {
  snug__isa isa = 0;
  while (isa < SNUG__ISA_COUNT && strcmp(texts[isa], text) != 0) {
    isa++;
  }
  return isa;
}

snug__isa snug__isa_best(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi2")) {
    return SNUG__ISA_BASE;
  }
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512cd")
             ? SNUG__ISA_AVX512
             : SNUG__ISA_AVX2;
#else
  return SNUG__ISA_BASE;
#endif
}
