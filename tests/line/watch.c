/* Runs a command and tells what it held at most, from outside of it.
 *
 *   watch REPORT GROUP COMMAND...
 *
 * The command becomes a member of GROUP (the folder of a memory cgroup; "-": none) before it is
 * started.  REPORT gets its exit status, its highest resident memory in bytes and its id.  A small
 * program of its own, because the kernel counts what the process held before exec as well: under
 * Python that would be Python's share. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void join(const char *group) {
  char path[4096];
  int n = snprintf(path, sizeof path, "%s/cgroup.procs", group);
  int fd = n > 0 && (size_t)n < sizeof path ? open(path, O_WRONLY | O_CLOEXEC) : -1;
  if (fd < 0 || write(fd, "0", 1) != 1) {
    fprintf(stderr, "watch: cannot join %s: %s\n", group, strerror(errno));
    _exit(125);
  }
  close(fd);
}

static int report(const char *path, pid_t id, int status, const struct rusage *use) {
  FILE *f = fopen(path, "w");
  if (!f) {
    perror(path);
    return 125;
  }
  fprintf(f, "%d %d %lld %ld\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          WIFSIGNALED(status) ? WTERMSIG(status) : 0, 1024 * (long long)use->ru_maxrss, (long)id);
  return fclose(f) ? 125 : 0;
}

int main(int argc, char **argv) {
  struct rusage use;
  int status = 0;
  if (argc < 4) {
    fputs("usage: watch REPORT GROUP COMMAND...\n", stderr);
    return 125;
  }
  pid_t id = fork();
  if (id == 0) {
    if (strcmp(argv[2], "-") != 0) {
      join(argv[2]);
    }
    execv(argv[3], argv + 3);
    perror(argv[3]);
    _exit(127);
  }
  while (id > 0 && wait4(id, &status, 0, &use) < 0 && errno == EINTR) {
  }
  return id > 0 ? report(argv[1], id, status, &use) : 125;
}
