#include "watch/member.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define YOUNG 1.0   /* seconds */
#define SETTLED 0.1 /* and figures that have not moved are what it has */
#define PATH_BYTES (SNUG__TREE_ROOT + 64)

/* ---- files ---- */

int snug__proc_open(const char *root, int32_t process, const char *name) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/proc/%d/%s", root, (int)process, name);
  return open(path, O_RDONLY | O_CLOEXEC);
}

bool snug__proc_read(int fd, char text[SNUG__PROC_TEXT]) {
  ssize_t n = fd < 0 ? -1 : pread(fd, text, SNUG__PROC_TEXT - 1, 0);
  text[n < 0 ? 0 : n] = '\0';
  return n > 0;
}

bool snug__proc_text(const char *root, int32_t process, const char *name,
                     char text[SNUG__PROC_TEXT]) {
  int fd = snug__proc_open(root, process, name);
  bool ok = snug__proc_read(fd, text);
  int why = errno;
  if (fd >= 0) {
    close(fd);
  }
  errno = why;
  return ok;
}

static void close_file(int fd) {
  if (fd >= 0) {
    close(fd);
  }
}

void snug__member_close(snug__member *m) {
  close_file(m->status);
  close_file(m->statm);
}

/* ---- figures ---- */

bool snug__member_is_young(const snug__member *m, double now) { return now - m->came < YOUNG; }

bool snug__member_is_settled(const snug__member *m, double now) {
  return m->was_here || (m->resident && (m->changed > m->began || now - m->began >= SETTLED));
}

static uint64_t program_of(const char *root, int32_t process) {
  char path[PATH_BYTES];
  struct stat info;
  snprintf(path, sizeof path, "%s/proc/%d/exe", root, (int)process);
  return stat(path, &info) == 0 ? (uint64_t)info.st_ino : 0;
}

bool snug__member_is_alike(const snug__member *a, const snug__member *b) {
  return a->program && b->program ? a->program == b->program : strcmp(a->name, b->name) == 0;
}

/* Between vfork and exec a process runs in the memory of its parent, which must not count twice. */
static bool borrows(const snug__member *m, const snug__member *parent) {
  return parent && snug__member_is_alike(m, parent) &&
         syscall(SYS_kcmp, m->process, parent->process, KCMP_VM, 0, 0) == 0;
}

/* What is resident of it, by the cheap file.  The mark cannot be below. */
static void update_resident(snug__member *m, uint64_t resident, double now) {
  m->changed = resident != m->resident ? now : m->changed;
  m->resident = resident;
  m->was_here = m->was_here && resident <= m->peak;
  m->peak = m->peak < resident ? resident : m->peak;
  m->counted = m->borrows ? 0 : resident;
}

/* Whether it has begun another program since it was read.  A mark that fell belongs to another
 * memory (marks are not exact to the page); for a new name there is a file to look at. */
static bool began_program(snug__member *m, const char *root, const snug__figures *f) {
  uint64_t before = m->program;
  if (strcmp(m->name, f->name) != 0) {
    m->program = program_of(root, m->process);
  }
  return f->peak < m->peak - m->peak / 8 || m->program != before;
}

void snug__member_update(snug__member *m, const char *root, const snug__member *parent,
                         const snug__figures *f, double now) {
  bool began_anew = began_program(m, root, f);
  bool rose = f->peak > m->peak || began_anew;
  if (began_anew) {
    m->overlap = m->copied = 0;
    m->notes = 0;
    m->began = now;
  }
  memcpy(m->name, f->name, sizeof m->name);
  m->parent = f->parent;
  m->borrows = snug__member_is_young(m, now) && borrows(m, parent);
  m->peak = rose ? f->peak : m->peak;
  m->was_here = m->was_here && !rose;
  update_resident(m, f->resident, now);
  if (rose) {
    m->changed = now;
    m->counted = m->borrows ? 0 : m->peak;
  }
}

/* ---- reading ---- */

/* The second number of /proc/N/statm, in pages. */
static bool read_resident(const snug__member *m, uint64_t *out) {
  char text[128];
  ssize_t n = pread(m->statm, text, sizeof text - 1, 0);
  text[n < 0 ? 0 : n] = '\0';
  const char *second = strchr(text, ' ');
  *out = second ? strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
  return second != NULL;
}

/* Who has ended and was not waited for has nothing resident. */
bool snug__member_has_ended(const snug__member *m) {
  uint64_t resident;
  return m->statm >= 0 && (!read_resident(m, &resident) || resident == 0);
}

bool snug__member_read(snug__member *m, const char *root, const snug__member *parent, double now,
                       bool mark) {
  char text[SNUG__PROC_TEXT];
  snug__figures f;
  uint64_t resident;
  if (!mark && m->statm >= 0) {
    bool is_there = read_resident(m, &resident);
    update_resident(m, resident, now);
    return is_there;
  }
  bool is_there =
      snug__proc_read(m->status, text) && snug__figures_parse(text, &f) && f.group == m->process;
  if (is_there) {
    snug__member_update(m, root, parent, &f, now);
  }
  return is_there;
}
