#include "image/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

snug__input snug__input_of(const void *bytes, size_t n) {
  static const uint8_t nothing[1];
  return (snug__input){.bytes = n ? bytes : nothing, .n = (int64_t)n, .fd = -1};
}

static snug_status fail_io(snug__why *why, const char *what, int error) {
  char reason[128];
  return snug__why_say(why, SNUG_E_IO, "cannot be %s: %s", what,
                       strerror_r(error, reason, sizeof reason));
}

static snug_status look(snug__input *in, snug__why *why) {
  struct stat st;
  if (fstat(in->fd, &st) != 0) {
    return fail_io(why, "read", errno);
  }
  if (!S_ISREG(st.st_mode)) {
    return snug__why_say(why, SNUG_E_IO, "is not a file");
  }
  in->n = st.st_size;
  return SNUG_OK;
}

snug_status snug__input_open(snug__input *in, const char *path, snug__why *why) {
  *in = (snug__input){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (in->fd < 0) {
    return fail_io(why, "opened", errno);
  }
  snug_status s = look(in, why);
  if (s) {
    snug__input_close(in);
  }
  return s;
}

void snug__input_close(snug__input *in) {
  if (in->fd >= 0) {
    close(in->fd);
  }
  in->fd = -1;
}

static size_t read_file(snug__input *in, int64_t offset, uint8_t *dst, size_t n) {
  size_t done = 0;
  while (done < n) {
    ssize_t got = pread(in->fd, dst + done, n - done, offset + (int64_t)done);
    if (got > 0) {
      done += (size_t)got;
    } else if (got == 0) {
      break;
    } else if (errno != EINTR) {
      in->error = errno;
      break;
    }
  }
  return done;
}

static size_t read_some(snug__input *in, int64_t offset, void *dst, size_t n) {
  if (!in->bytes) {
    return read_file(in, offset, dst, n);
  }
  if (n) {
    memcpy(dst, in->bytes + offset, n);
  }
  return n;
}

/* Those who read are decoders. */
size_t snug__input_read(snug__input *in, int64_t offset, void *dst, size_t n) {
  int64_t left = in->n - offset;
  size_t some = left <= 0 ? 0 : (uint64_t)left < n ? (size_t)left : n;
  snug__lap(&in->laps, SNUG__STAGE_DECODE);
  some = read_some(in, offset, dst, some);
  snug__lap(&in->laps, SNUG__STAGE_FILE);
  return some;
}

snug_status snug__input_short(const snug__input *in, snug__why *why, const char *where) {
  if (in->error) {
    return fail_io(why, "read", in->error);
  }
  return snug__why_say(why, SNUG_E_FORMAT, "ends too early, %s", where);
}
