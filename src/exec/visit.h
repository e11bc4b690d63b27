/* Running items whose variables live in a file.
 *
 * There are two windows.  As soon as an item has run, its variables begin to be written, and those
 * of the next such item to be read into its window, both beside other items. */
#ifndef SNUG_EXEC_VISIT_H
#define SNUG_EXEC_VISIT_H

#include "exec/program.h"

/* Around a run, and around item i of it; *next counts the visits that were made.  Fail: E_IO
 * without a message: see snug__store_fail. */
void snug__visits_begin(snug__program *p);
snug_status snug__visit_enter(snug__program *p, size_t item, size_t next) SNUG_NODISCARD;
snug_status snug__visit_leave(snug__program *p, size_t item, size_t *next) SNUG_NODISCARD;
snug_status snug__visits_end(snug__program *p) SNUG_NODISCARD;

#endif
