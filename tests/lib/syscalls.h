/* Count the system calls that change the memory of the process -- brk, mmap, munmap, mremap,
 * madvise, mprotect -- on every thread of it, without a tracer.
 *
 * A seccomp filter in the watched process asks this one about each such call; this one counts and
 * lets it pass.  A filter cannot be taken back, so the watched process is a forked one. */
#ifndef SNUG_TESTS_SYSCALLS_H
#define SNUG_TESTS_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#define TEST_SYSCALL_LIST(X) X(brk) X(mmap) X(munmap) X(mremap) X(madvise) X(mprotect)

typedef struct test_syscalls {
#define TEST_SYSCALL_MEMBER(name) int64_t n_##name;
  TEST_SYSCALL_LIST(TEST_SYSCALL_MEMBER)
#undef TEST_SYSCALL_MEMBER
} test_syscalls;

int64_t test_syscalls_sum(const test_syscalls *counts);

/* Fork, and run work(arg) in the new process; the calls between its test_syscalls_start and
 * test_syscalls_stop are counted.  Threads that exist at the start are counted, and so are later
 * ones.  Returns false if this system has no such filter; fails the test if the process does not
 * end well or work returns false.  The calling process must not have used OpenMP threads. */
bool test_syscalls_run(bool (*work)(void *arg), void *arg, test_syscalls *out);
void test_syscalls_start(void);
void test_syscalls_stop(void);

#endif
