#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "one.h"
#include "record/format.h"
#include "rules.h"

enum { HEAD = SNUG__RECORD_HEAD_BYTES };

/* ---- what was read ---- */

static void check_text(const char *text) {
  for (; text && *text; text++) {
    if (((unsigned char)*text < ' ' && *text != '\n' && *text != '\t') || *text == 0x7F) {
      fuzz_fail("a text that steers a terminal");
    }
  }
  if (!text) {
    fuzz_fail("a text is not there");
  }
}

static void check_moments(const snug_recording *r) {
  for (size_t i = 0; i < snug_recording_moments(r); i++) {
    const snug_moment *m = snug_recording_moment(r, i);
    check_text(m->at);
    if (!(m->seconds >= 0.0)) {
      fuzz_fail("a moment before the beginning");
    }
  }
}

static void check_all(const snug_recording *r, size_t bytes) {
  uint64_t at = 0;
  for (size_t i = 0; i < snug_recording_facts(r); i++) {
    check_text(snug_recording_fact_value(r, i));
    if (snug_recording_fact(r, snug_recording_fact_name(r, i)) != snug_recording_fact_value(r, i)) {
      fuzz_fail("a fact that is not found");
    }
  }
  for (size_t i = 0; i < snug_recording_epochs(r); i++) {
    snug_logs logs = snug_recording_logs(r, i, NULL);
    for (size_t k = 0; k < logs.n; k++) {
      check_text(logs.names[k]);
    }
  }
  for (size_t i = 0; i < snug_recording_pieces(r, NULL); i++) {
    check_text(snug_recording_piece(r, i)->layer);
  }
  check_moments(r);
  snug_recording_ended(r, &at);
  if (at < HEAD || at > bytes) {
    fuzz_fail("it ends where the file does not");
  }
}

/* ---- what is shown of it ---- */

/* No form lets anything through that acts; CSV has texts whole, tabs among them. */
static void look(void *user, const char *text, size_t n) {
  bool is_csv = *(const int *)user == SNUG_VIEW_CSV;
  for (size_t i = 0; i < n; i++) {
    bool is_blank = text[i] == '\n' || (text[i] == '\t' && is_csv);
    if (((unsigned char)text[i] < ' ' && !is_blank) || text[i] == 0x7F) {
      fuzz_fail("a form that steers a terminal");
    }
  }
}

static void show(snug_ctx *ctx, const snug_recording *r, const char *path) {
  const snug_recording *const runs[] = {r, r};
  const char *const names[] = {path, path};
  for (size_t n = 1; n <= 2; n++) {
    snug_view *v = NULL;
    snug_status s = snug_view_create(ctx, runs, names, n, &v);
    fuzz_check(ctx, s, "");
    int form = SNUG_VIEW_TEXT;
    snug_view_options options = {
        .struct_size = sizeof options, .sink = look, .user = &form, .columns = 80};
    for (; !s && form <= SNUG_VIEW_HTML; form++) {
      snug_view_write(v, (snug_view_form)form, &options);
    }
    snug_view_destroy(v);
  }
}

static void read_it(const uint8_t *data, size_t bytes) {
  char path[64];
  snug_ctx *ctx = fuzz_begin();
  snug_recording *r = NULL;
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes) {
    fuzz_fail("no file");
  }
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  snug_status s = snug_recording_open(ctx, path, &r);
  fuzz_check(ctx, s, path);
  if (!s) {
    check_all(r, bytes);
    show(ctx, r, path);
  }
  snug_recording_destroy(r);
  close(fd);
  fuzz_end(ctx);
}

/* ---- checksums, which no mutation finds ---- */

static void mend_head(uint8_t *data, uint32_t *crc) {
  uint8_t *at = data + SNUG__RECORD_MAGIC_BYTES;
  memcpy(data, SNUG__RECORD_MAGIC, SNUG__RECORD_MAGIC_BYTES);
  snug__put(&at, SNUG_RECORD_VERSION, 4);
  *crc = snug__record_crc(0, data, HEAD - SNUG__FRAME_CRC_BYTES);
  at = data + HEAD - SNUG__FRAME_CRC_BYTES;
  snug__put(&at, *crc, SNUG__FRAME_CRC_BYTES);
}

/* A frame at `data`, with the length that it says as far as there is room.  Returns its bytes. */
static size_t mend_frame(uint8_t *data, size_t left, uint32_t *crc) {
  size_t most = left - SNUG__FRAME_HEAD_BYTES - SNUG__FRAME_CRC_BYTES;
  size_t n = (size_t)(data[1] | data[2] << 8);
  n = n < most ? n : most;
  n = n < SNUG__RECORD_MOST_CONTENT ? n : SNUG__RECORD_MOST_CONTENT;
  uint8_t *at = data + 1;
  snug__put(&at, n, 2);
  data[3] = (uint8_t)(SNUG__FRAME_CHECK ^ data[0] ^ data[1] ^ data[2]);
  *crc = snug__record_crc(*crc, data, SNUG__FRAME_HEAD_BYTES + n);
  at = data + SNUG__FRAME_HEAD_BYTES + n;
  snug__put(&at, *crc, SNUG__FRAME_CRC_BYTES);
  return SNUG__FRAME_HEAD_BYTES + n + SNUG__FRAME_CRC_BYTES;
}

static void mend(uint8_t *data, size_t bytes) {
  uint32_t crc = 0;
  size_t at = HEAD;
  mend_head(data, &crc);
  while (bytes - at >= SNUG__FRAME_HEAD_BYTES + SNUG__FRAME_CRC_BYTES) {
    at += mend_frame(data + at, bytes - at, &crc);
  }
}

void fuzz_one_record(const uint8_t *data, size_t bytes) {
  read_it(data, bytes);
  uint8_t *copy = bytes >= HEAD ? malloc(bytes) : NULL;
  if (copy) {
    memcpy(copy, data, bytes);
    mend(copy, bytes);
    read_it(copy, bytes);
  }
  free(copy);
}
