/* The control groups of this process: what a container gives it is told there.  Both versions are
 * read, under `root` ("": the machine's own files; tests make up a machine of their own). */
#ifndef SNUG_BASE_GROUPS_H
#define SNUG_BASE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

/* The beginning of a small file as text; false if it cannot be read or is empty. */
bool snug__read_start(const char *path, char *text, size_t bytes);

/* The same of a file of a group. */
bool snug__group_read(const char *group, const char *name, char *text, size_t bytes);

/* Called for a group: the folder of its files.  unified: they are those of version 2. */
typedef void snug__group_visit(void *arg, const char *group, bool unified);

/* Visit the process's groups of a controller ("cpu", "memory"), each from itself up to where groups
 * are mounted.  What is not visible here is visited too, and has no files. */
void snug__groups_walk(const char *root, const char *controller, snug__group_visit *visit,
                       void *arg);

#endif
