#include "patience.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* Some microseconds: enough to bridge the gaps within a step, so a quiet machine loses little, and
 * little enough to leave the core to others, who make a step up to ten times slower where its
 * threads spin.  libgomp counts rounds, libomp milliseconds. */
static const char *const settings[][2] = {{"GOMP_SPINCOUNT", "1000"}, {"KMP_BLOCKTIME", "0"}};

/* Set what the user has no say in.  False: there is nothing to set. */
static bool set_all(void) {
  bool is_new = false;
  for (size_t i = 0; !getenv("OMP_WAIT_POLICY") && i < sizeof settings / sizeof settings[0]; i++) {
    is_new |= !getenv(settings[i][0]) && setenv(settings[i][0], settings[i][1], 0) == 0;
  }
  return is_new;
}

/* A runtime that was told to bind threads has bound this one already, to the first place: started
 * once more, the program would have no other processors.  It gets those of all places. */
static void unbind(void) {
#ifdef _OPENMP
  int ids[CPU_SETSIZE];
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int i = 0; i < omp_get_num_places(); i++) {
    omp_get_place_proc_ids(i, ids);
    for (int k = 0; k < omp_get_place_num_procs(i); k++) {
      CPU_SET((size_t)ids[k], &all);
    }
  }
  if (omp_get_proc_bind() != omp_proc_bind_false && CPU_COUNT(&all) > 0) {
    sched_setaffinity(0, sizeof all, &all); /* where it fails, the first place is what there is */
  }
#endif
}

void patience_set(char **argv) {
  char path[PATH_MAX];
  if (getauxval(AT_BASE) == 0) { /* started by the loader as a command: that is what exe is then */
    return;
  }
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0 || !set_all()) {
    return;
  }
  path[n] = '\0';
  unbind();
  execv(path, argv); /* comes back only if it failed, and then all is as before */
}
