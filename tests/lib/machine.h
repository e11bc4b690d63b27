/* A made-up machine: files of /proc and /sys under a folder of the test's. */
#ifndef SNUG_TESTS_MACHINE_H
#define SNUG_TESTS_MACHINE_H

/* Begin one whose process is in these groups (the text of /proc/self/cgroup); its root. */
const char *test_machine(const char *groups);

/* Write a file of it; folders are made. */
void test_machine_write(const char *name, const char *text);

#endif
