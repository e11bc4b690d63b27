/* Files: read whole, written whole. */
#include <errno.h>
#include <libgen.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "room.h"

#define READ_STEP (64u << 10)
#define PATIENCE_MS 2000 /* after which the user is told that it waits */

/* A piece of READ_STEP at a time: memory that nothing was read to is not resident. */
static int read_stream(FILE *stream, const char *path, const cli_room *room, char **text,
                       size_t *n) {
  size_t size = 0;
  for (;;) {
    int code = room ? cli_room_check(room, path, READ_STEP) : CLI_OK;
    if (code) {
      return code;
    }
    if (size - *n < READ_STEP) {
      size = size * 2 + READ_STEP + 1;
      char *grown = realloc(*text, size);
      if (!grown) {
        return cli_fail(CLI_NO_FIT, "%s: no memory for %zu bytes", path, size);
      }
      *text = grown;
    }
    size_t got = fread(*text + *n, 1, READ_STEP - 1, stream);
    *n += got;
    if (got == 0) {
      (*text)[*n] = '\0';
      return ferror(stream) ? cli_fail(CLI_FAILURE, "%s: %s", path, strerror(errno)) : CLI_OK;
    }
  }
}

/* Nobody sees that a command waits for input that does not come. */
static void note_waiting(void) {
  struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
  if (poll(&p, 1, PATIENCE_MS) == 0) {
    fprintf(stderr, "Warning: standard input has given nothing for %d seconds: waiting for it.\n",
            PATIENCE_MS / 1000);
  }
}

int cli_file_read(const char *path, const cli_room *room, char **text, size_t *n) {
  bool is_stdin = strcmp(path, "-") == 0;
  *text = NULL;
  *n = 0;
  FILE *stream = is_stdin ? stdin : fopen(path, "rb");
  if (!stream) {
    return cli_fail(CLI_FAILURE, "%s: %s", path, strerror(errno));
  }
  if (is_stdin) {
    note_waiting();
  }
  int code = read_stream(stream, path, room, text, n);
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

/* ---- writing ---- */

static ssize_t write_piece(void *file, const char *bytes, size_t n) {
  return snug_new_file_write(file, bytes, n) ? 0 : (ssize_t)n;
}

int cli_file_begin(cli_file *f, snug_ctx *ctx, const char *path, bool force) {
  *f = (cli_file){.ctx = ctx, .force = force};
  int code = cli_file_check(path, force);
  if (code) {
    return code;
  }
  if (snug_new_file_begin(&f->file, ctx, path)) {
    return cli_fail(CLI_FAILURE, "%s", cli_message(ctx));
  }
  f->stream = fopencookie(&f->file, "wb", (cookie_io_functions_t){.write = write_piece});
  if (!f->stream) {
    snug_new_file_drop(&f->file);
    return cli_fail(CLI_FAILURE, "%s: no memory", path);
  }
  return CLI_OK;
}

int cli_file_end(cli_file *f) {
  bool is_written = !ferror(f->stream);
  is_written = fclose(f->stream) == 0 && is_written;
  int code = is_written && !snug_new_file_end(&f->file, f->force)
                 ? CLI_OK
                 : cli_fail(CLI_FAILURE, "%s", cli_message(f->ctx));
  snug_new_file_drop(&f->file);
  return code;
}
