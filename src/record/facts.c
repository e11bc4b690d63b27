/* Facts that are numbers, of the machine, and of the moment. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "record/recorder.h"

snug_status snug__recorder_number(snug_recorder *r, const char *name, uint64_t value) {
  char text[SNUG__NUMBER_BYTES];
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  return snug_recorder_fact(r, name, text);
}

snug_status snug__recorder_real(snug_recorder *r, const char *name, double value) {
  char text[SNUG__NUMBER_BYTES];
  return snug_recorder_fact(r, name, snug__print_float(value, text));
}

snug_status snug__recorder_now(snug_recorder *r, const char *name) {
  char text[64];
  time_t now = time(NULL);
  struct tm utc;
  if (!gmtime_r(&now, &utc) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)) {
    return SNUG_OK; /* a clock that tells no time */
  }
  return snug_recorder_fact(r, name, text);
}

/* ---- the machine ---- */

/* The name of the first processor; false if the system does not tell. */
static bool find_cpu(char *out, size_t bytes) {
  char text[4096];
  int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0) {
    close(fd);
  }
  text[n > 0 ? n : 0] = 0;
  const char *name = strstr(text, "model name");
  name = name ? strchr(name, ':') : NULL;
  if (!name) {
    return false;
  }
  name += 1 + strspn(name + 1, " \t");
  snprintf(out, bytes, "%.*s", (int)strcspn(name, "\n"), name);
  return true;
}

static snug_status tell_system(snug_recorder *r) {
  struct utsname u;
  char text[sizeof u.sysname + sizeof u.release + sizeof u.machine + 2];
  if (uname(&u) != 0) {
    return SNUG_OK;
  }
  snprintf(text, sizeof text, "%s %s %s", u.sysname, u.release, u.machine);
  return snug_recorder_fact(r, "machine.system", text);
}

static snug_status tell_positive(snug_recorder *r, const char *name, int64_t value) {
  return value > 0 ? snug__recorder_number(r, name, (uint64_t)value) : SNUG_OK;
}

snug_status snug_recorder_machine(snug_recorder *r) {
  char cpu[256];
  if (!r) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(snug_recorder_fact(r, "run.snug", snug_version()));
  if (find_cpu(cpu, sizeof cpu)) {
    SNUG_TRY(snug_recorder_fact(r, "machine.cpu", cpu));
  }
  SNUG_TRY(tell_positive(r, "machine.cores", sysconf(_SC_NPROCESSORS_ONLN)));
  SNUG_TRY(
      tell_positive(r, "machine.memory", sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE)));
  return tell_system(r);
}
