/* The fault sweep: a scenario is run again and again, each time with a failure at another request
 * for memory -- once only that request (transient), once that and all later ones (persistent).
 * Whatever fails, the scenario must return OK or E_MEMORY with a message, and leave no block and no
 * broken guard behind.  The sweep ends when a run had no request left to refuse. */
#ifndef SNUG_TESTS_FAULT_H
#define SNUG_TESTS_FAULT_H

#include "lib/test.h"

typedef snug_status (*test_scenario)(snug_ctx *ctx, void *arg);

/* Sweep every request and fail the test at the first bad one; prints the number of runs. */
void test_fault_sweep(test_scenario scenario, void *arg);

/* The same for every stride-th request, for long scenarios.  The first `stride` are all swept. */
void test_fault_sweep_stride(test_scenario scenario, void *arg, int64_t stride);

/* What the two are made of: returns the number of runs; `problem` is "" if all were good. */
int64_t test_fault_find(test_scenario scenario, void *arg, int64_t stride, char *problem,
                        size_t bytes);

#endif
