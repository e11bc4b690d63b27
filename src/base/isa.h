/* Instruction sets that loops are compiled for.  Each contains the ones before it. */
#ifndef SNUG_BASE_ISA_H
#define SNUG_BASE_ISA_H

/* X(NAME, name): `name` ends the symbols of what is compiled for it.  The first runs everywhere.
 * SNUG__EACH_ISA(x_): x_base, x_avx2, ... */
#if defined(__x86_64__)
#define SNUG__ISA_LIST(X) X(BASE, base) X(AVX2, avx2) X(AVX512, avx512)
#define SNUG__EACH_ISA(name) name##base, name##avx2, name##avx512
#else
#define SNUG__ISA_LIST(X) X(BASE, base)
#define SNUG__EACH_ISA(name) name##base
#endif

typedef enum snug__isa {
#define SNUG__ISA_ENUM(NAME, name) SNUG__ISA_##NAME,
  SNUG__ISA_LIST(SNUG__ISA_ENUM)
#undef SNUG__ISA_ENUM
      SNUG__ISA_COUNT
} snug__isa;

const char *snug__isa_text(snug__isa isa);

/* The set of a name; SNUG__ISA_COUNT if there is none. */
snug__isa snug__isa_find(const char *text);

/* The largest set that this processor has. */
snug__isa snug__isa_best(void);

#endif
