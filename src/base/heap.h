/* Where memory comes from by default: small pieces from the C library, large ones as pages of their
 * own, which go back to the system when they are given back.  The C library would keep those in its
 * heap, in holes that nothing fits into; so what is held is what is resident.  Pieces of many pages
 * ask for huge ones. */
#ifndef SNUG_BASE_HEAP_H
#define SNUG_BASE_HEAP_H

#include "snug/context.h"

extern const snug_allocator snug__heap;

/* Whether this many bytes more could be had from the system now.  Libraries that do not look
 * whether memory was refused are only called where it will not be. */
bool snug__heap_has(size_t bytes);

/* Give free memory of the C library's heap back to the system, also from between what is held. */
void snug__heap_trim(void);

#endif
