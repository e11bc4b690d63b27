/* Files: read whole, written whole. */
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#define READ_STEP (1u << 20)

static int read_stream(FILE *stream, const char *path, char **text, size_t *n) {
  size_t room = 0;
  for (;;) {
    if (room - *n < READ_STEP) {
      room = room * 2 + READ_STEP + 1;
      char *grown = realloc(*text, room);
      if (!grown) {
        return cli_fail(CLI_FAILURE, "%s: no memory for %zu bytes", path, room);
      }
      *text = grown;
    }
    size_t got = fread(*text + *n, 1, room - *n - 1, stream);
    *n += got;
    if (got == 0) {
      (*text)[*n] = '\0';
      return ferror(stream) ? cli_fail(CLI_FAILURE, "%s: %s", path, strerror(errno)) : CLI_OK;
    }
  }
}

int cli_file_read(const char *path, char **text, size_t *n) {
  bool is_stdin = strcmp(path, "-") == 0;
  *text = NULL;
  *n = 0;
  FILE *stream = is_stdin ? stdin : fopen(path, "rb");
  if (!stream) {
    return cli_fail(CLI_FAILURE, "%s: %s", path, strerror(errno));
  }
  int code = read_stream(stream, path, text, n);
  if (!is_stdin) {
    fclose(stream);
  }
  if (code) {
    free(*text);
    *text = NULL;
  }
  return code;
}

bool cli_ends_in(const char *text, const char *ending) {
  size_t n = strlen(text);
  size_t m = strlen(ending);
  return n > m && strcmp(text + n - m, ending) == 0;
}

int cli_file_check(const char *path, bool force) {
  struct stat info;
  if (stat(path, &info) != 0) {
    return CLI_OK;
  }
  if (!S_ISREG(info.st_mode)) {
    return cli_fail(CLI_FAILURE, "%s is not a regular file", path);
  }
  if (!force) {
    return cli_fail(CLI_FAILURE, "%s exists; --force replaces it", path);
  }
  return CLI_OK;
}

int cli_file_check_folder(const char *path) {
  char *copy = strdup(path);
  const char *folder = copy ? dirname(copy) : ".";
  int code = access(folder, W_OK | X_OK) == 0
                 ? CLI_OK
                 : cli_fail(CLI_FAILURE, "%s: nothing can be written into %s: %s", path, folder,
                            strerror(errno));
  free(copy);
  return code;
}

/* As mkstemp makes files that only their owner may read. */
static void open_mode(int fd) {
  mode_t mask = umask(0);
  umask(mask);
  (void)!fchmod(fd, 0666 & ~mask);
}

int cli_file_begin(cli_file *f, const char *path, bool force) {
  size_t bytes = strlen(path) + sizeof ".XXXXXX";
  *f = (cli_file){.force = force};
  int code = cli_file_check(path, force);
  if (code) {
    return code;
  }
  f->path = strdup(path);
  f->beside = malloc(bytes);
  if (!f->path || !f->beside) {
    cli_file_drop(f);
    return cli_fail(CLI_FAILURE, "%s: no memory", path);
  }
  snprintf(f->beside, bytes, "%s.XXXXXX", path);
  int fd = mkstemp(f->beside);
  f->stream = fd < 0 ? NULL : fdopen(fd, "wb");
  if (!f->stream) {
    code = cli_fail(CLI_FAILURE, "%s: %s", path, strerror(errno));
    if (fd >= 0) {
      close(fd);
      unlink(f->beside);
    }
    cli_file_drop(f);
    return code;
  }
  open_mode(fd);
  return CLI_OK;
}

/* Without force, link() refuses if someone made the file in the meantime. */
static int appear(const cli_file *f) {
  if (f->force) {
    return rename(f->beside, f->path);
  }
  return link(f->beside, f->path) ? -1 : unlink(f->beside);
}

int cli_file_end(cli_file *f) {
  bool ok = fflush(f->stream) == 0 && !ferror(f->stream) && fsync(fileno(f->stream)) == 0;
  ok = ok && appear(f) == 0;
  int code = ok ? CLI_OK : cli_fail(CLI_FAILURE, "%s: %s", f->path, strerror(errno));
  cli_file_drop(f);
  return code;
}

void cli_file_drop(cli_file *f) {
  if (f->stream) {
    fclose(f->stream);
    unlink(f->beside); /* gone already if it has appeared under its name */
  }
  free(f->path);
  free(f->beside);
  *f = (cli_file){0};
}
