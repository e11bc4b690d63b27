/* How structs of this interface grow.
 *
 * A struct that callers fill in or that the library writes begins with `size_t struct_size`: the
 * size that it had where the caller was compiled.  Set it as follows:
 *
 *   snug_fit_options o = {.struct_size = sizeof o, .epochs = 3};     C
 *   snug_fit_options o = SNUG_INIT(snug_fit_options);                C and C++
 *   o.epochs = 3;
 *
 * All other members are then 0, and 0 is the default of every member.
 *
 * 1. New members are added at the end.  Members never move, change their type or their meaning.
 * 2. A smaller struct, of a program that was compiled with an older header, is accepted: the
 * members that it does not have take their defaults.
 * 3. A larger struct, of a newer header, is accepted if all that this library does not know is 0.
 *    Otherwise the call fails with E_ARGUMENT, and the message has both sizes.
 * 4. Where the library writes a struct, it writes the members that both sides know, and leaves
 *    struct_size and the rest as they are.  What it passes to a callback of the caller's has the
 *    struct_size of the library.
 * 5. A struct_size that was not set (0, or no possible size) is E_ARGUMENT; a function without a
 *    status writes nothing then.
 * 6. A struct in which the library keeps members of its own (they are marked private) must have
 *    room for all of them: a smaller one is E_ARGUMENT.
 * 7. In an array of such structs all have the struct_size of the first.
 *
 * Structs without struct_size are plain values, such as snug_array or snug_logs: they are complete,
 * and stay as they are.  tools/abi.txt lists all structs with the offsets of their members. */
#ifndef SNUG_STRUCT_SIZE_H
#define SNUG_STRUCT_SIZE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C++" {
template <typename T>
inline T snug_init() {
  T made{};
  made.struct_size = sizeof(T);
  return made;
}
}
#define SNUG_INIT(type) snug_init<type>()
#else
/* clang-format off */
#define SNUG_INIT(type) {.struct_size = sizeof(type)}
/* clang-format on */
#endif

#endif
