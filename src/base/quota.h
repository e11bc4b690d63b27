/* The share of the processors that a container gives this process: the CPU quota of its control
 * groups.  Threads beyond it are stopped by the kernel in the middle of their work while the others
 * wait for them. */
#ifndef SNUG_BASE_QUOTA_H
#define SNUG_BASE_QUOTA_H

#include <stdint.h>

/* Whole cores that the quota allows, rounded up, at least 1; 0 if there is none.  The smallest of
 * the process's group and the groups around it rules.  Both versions of control groups are read,
 * under `root` ("": the machine's own files). */
int32_t snug__quota_cores(const char *root);

#endif
