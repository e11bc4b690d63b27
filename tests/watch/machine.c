#include "watch/machine.h"

#include <stdio.h>
#include <unistd.h>

static const char *root;
static int last;

void machine_last(int number) {
  char text[64];
  last = number;
  snprintf(text, sizeof text, "0.10 0.20 0.30 1/200 %d\n", number);
  test_machine_write("proc/loadavg", text);
}

const char *machine_begin(void) {
  root = test_machine("0::/\n");
  machine_last(50);
  return root;
}

void machine_put(int process, int parent, const char *name, int resident, int peak) {
  char path[64], text[512];
  snprintf(path, sizeof path, "proc/%d/status", process);
  snprintf(text, sizeof text,
           "Name:\t%s\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t%d\nNgid:\t0\nPid:\t%d\n"
           "PPid:\t%d\nVmPeak:\t  999999 kB\nVmHWM:\t%8d kB\nVmRSS:\t%8d kB\nThreads:\t1\n",
           name, process, process, parent, peak << 10, resident << 10);
  test_machine_write(path, text);
  snprintf(path, sizeof path, "proc/%d/statm", process);
  snprintf(text, sizeof text, "99999 %ld 50 1 0 9 0\n",
           ((long)resident << 20) / sysconf(_SC_PAGESIZE));
  test_machine_write(path, text);
  if (process > last) {
    machine_last(process);
  }
}

void machine_split(int process, int resident, int pss, int anonymous, int file, int shared) {
  char path[64], text[512];
  snprintf(path, sizeof path, "proc/%d/smaps_rollup", process);
  snprintf(
      text, sizeof text,
      "00400000-7ffe00000000 ---p 00000000 00:00 0    [rollup]\nRss: %d kB\nPss: %d kB\n"
      "Pss_Dirty: 1 kB\nPss_Anon: %d kB\nPss_File: %d kB\nPss_Shmem: %d kB\nAnonymous: %d kB\n",
      resident << 10, pss << 10, anonymous << 10, file << 10, shared << 10, resident << 10);
  test_machine_write(path, text);
}

void machine_end(int process) {
  char name[64], path[1024];
  snprintf(name, sizeof name, "proc/%d/status", process);
  static const char *const names[] = {"status", "statm", "smaps_rollup"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(name, sizeof name, "proc/%d/%s", process, names[i]);
    test_machine_write(name, ""); /* who has it open reads nothing more */
    snprintf(path, sizeof path, "%s/%s", root, name);
    unlink(path);
  }
}

snug_watch *machine_watch(snug_ctx *ctx, const snug_watch_options *options) {
  snug_watch_options o = SNUG_INIT(snug_watch_options);
  snug_watch *w = NULL;
  o = options ? *options : o;
  o.process = 100;
  ASSERT_OK(ctx, snug__watch_create_at(ctx, root, &o, 0.0, &w));
  return w;
}
