/* Structs that cross the public interface and may be of another version there: see
 * snug/struct_size.h for the rules.  They are read and written here alone. */
#ifndef SNUG_BASE_STRUCT_SIZE_H
#define SNUG_BASE_STRUCT_SIZE_H

#include "base/ctx.h"

/* Copy a struct of the caller's into one of this library's size, *to; `from` NULL: all defaults.
 * ctx may be NULL: there is then no message.  Fails: E_ARGUMENT (struct_size is no possible size,
 * or the struct has members that are set and not known here); *to is then undefined. */
snug_status snug__struct_read(snug_ctx *ctx, const char *name, const void *from, void *to,
                              size_t bytes);

/* Whether a struct of the caller's can be written to.  Fails: E_ARGUMENT. */
snug_status snug__struct_check(snug_ctx *ctx, const char *name, const void *to, size_t bytes);

/* Whether a struct in which this library keeps members of its own has room for them.  Fails:
 * E_ARGUMENT. */
snug_status snug__struct_whole(snug_ctx *ctx, const char *name, const void *of, size_t bytes);

/* Write the members that both sides know to a struct of the caller's; nothing if its struct_size is
 * no possible size or it is NULL. */
void snug__struct_write(const void *from, void *to, size_t bytes);

/* The same by type. */
#define SNUG__READ(ctx, type, from, to) snug__struct_read((ctx), #type, (from), (to), sizeof(type))
#define SNUG__CHECK(ctx, type, to) snug__struct_check((ctx), #type, (to), sizeof(type))
#define SNUG__WHOLE(ctx, type, of) snug__struct_whole((ctx), #type, (of), sizeof(type))
#define SNUG__WRITE(type, from, to) snug__struct_write((from), (to), sizeof(type))

#endif
