/* The control groups of this process: they tell what a container gives it.  Both versions are
 * read, under `root` ("": the machine's own files; tests make up a machine of their own). */
#ifndef SNUG_BASE_GROUPS_H
#define SNUG_BASE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The beginning of a small file as text; false if it cannot be read or is empty. */
bool snug__read_start(const char *path, char *text, size_t bytes);

/* The same of a file of a group. */
bool snug__group_read(const char *group, const char *name, char *text, size_t bytes);

/* The number behind a name at the start of a line; `otherwise` if there is no such line, NO_NUMBER
 * if it has none ("max", "unlimited") or one that is larger. */
#define SNUG__NO_NUMBER (UINT64_C(1) << 62)
uint64_t snug__number_of(const char *text, const char *name, uint64_t otherwise);

/* The number that a file of a group has; `otherwise` if it cannot be read. */
uint64_t snug__group_number(const char *group, const char *name, uint64_t otherwise);

/* Whether a group has one process, which is then this one, and no groups below it. */
bool snug__group_is_alone(const char *group);

/* Called for a group: the folder of its files.  unified: they are those of version 2. */
typedef void snug__group_visit(void *arg, const char *group, bool unified);

/* Visit the process's groups of a controller ("cpu", "memory"), each from itself up to where groups
 * are mounted.  What is not visible here is visited too, and has no files. */
void snug__groups_walk(const char *root, const char *controller, snug__group_visit *visit,
                       void *arg);

/* The same of another process, by its number. */
void snug__groups_walk_of(const char *root, const char *process, const char *controller,
                          snug__group_visit *visit, void *arg);

#endif
