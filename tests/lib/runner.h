/* What the files of tests/lib share; tests include test.h. */
#ifndef SNUG_TESTS_RUNNER_H
#define SNUG_TESTS_RUNNER_H

#include "lib/test.h"

/* "<file>.<name>" of the running test. */
const char *test_current_name(void);

/* Run one entry as the runner runs all; returns the number of failures.  For tests of the runner,
 * in a process of their own. */
int test_run_entry(struct test_entry *entry);

/* Let the next random number of this process start a new sequence. */
void test_random_forget(void);

/* Remove the folder behind test_path, if there is one. */
void test_path_forget(void);

#endif
