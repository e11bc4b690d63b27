#include "patience.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Some microseconds: enough to bridge the gaps within a step, so a quiet machine loses nothing, and
 * little enough to leave the core to others, who make a step up to ten times slower where its
 * threads spin. */
#define SPINS "1000"

/* Where the runtime was told to bind threads, it has bound this one already: started once more, the
 * program would have no other processor than that one's. */
static bool is_bound(void) {
  const char *bind = getenv("OMP_PROC_BIND");
  return bind ? strcasecmp(bind, "false") != 0
              : getenv("OMP_PLACES") || getenv("GOMP_CPU_AFFINITY");
}

void patience_set(char **argv) {
  char path[PATH_MAX];
  if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") || is_bound()) {
    return;
  }
  if (getauxval(AT_BASE) == 0) { /* started by the loader as a command: that is what exe is then */
    return;
  }
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0 || setenv("GOMP_SPINCOUNT", SPINS, 1) != 0) {
    return;
  }
  path[n] = '\0';
  execv(path, argv); /* comes back only if it failed, and then all is as before */
}
