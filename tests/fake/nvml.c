/* A stand-in for NVIDIA's management library: two devices, whose processes stand in the file that
 * FAKE_GPU names, "DEVICE PROCESS BYTES" by line.  FAKE_GPU=none: the driver does not answer;
 * FAKE_GPU=empty: there is no device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAY_BE_SEEN __attribute__((visibility("default")))

typedef struct entry {
  unsigned process;
  unsigned long long bytes;
  unsigned instance, compute_instance;
} entry;

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *n);
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *n, entry *list);
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned *n, entry *list);

static char devices[2];

static int is(const char *word) {
  const char *text = getenv("FAKE_GPU");
  return text && strcmp(text, word) == 0;
}

/* A driver that sleeps takes until the file of FAKE_GPU_WAITS is there. */
MAY_BE_SEEN int nvmlInit_v2(void) {
  const char *go = getenv("FAKE_GPU_WAITS");
  while (go && access(go, F_OK) != 0) {
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  return is("none") ? 9 : 0;
}

MAY_BE_SEEN int nvmlShutdown(void) { return 0; }

MAY_BE_SEEN int nvmlDeviceGetCount_v2(unsigned *n) {
  *n = is("empty") ? 0 : 2;
  return 0;
}

MAY_BE_SEEN int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device) {
  *device = &devices[i];
  return i < 2 ? 0 : 2;
}

MAY_BE_SEEN int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *n, entry *list) {
  const char *path = getenv("FAKE_GPU");
  FILE *file = path ? fopen(path, "r") : NULL;
  unsigned most = *n, on;
  entry e = {0, 0, 0, 0};
  *n = 0;
  while (file && fscanf(file, "%u %u %llu", &on, &e.process, &e.bytes) == 3) {
    if (device == &devices[on % 2] && *n < most) {
      list[(*n)++] = e;
    }
  }
  if (file) {
    fclose(file);
  }
  return 0;
}

/* The same ones: they draw, too. */
MAY_BE_SEEN int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned *n, entry *list) {
  return nvmlDeviceGetComputeRunningProcesses_v3(device, n, list);
}
