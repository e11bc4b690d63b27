/* The directory of a zip archive.  It is read entry by entry where it lies, never as a whole, and
 * every number in it is held against the size of the file.
 *
 *   local header, member, local header, member, ..., directory, [Zip64 end, its locator], end */
#include "base/zip.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/size.h"

#define LOCAL_SIGNATURE 0x04034b50u
#define ENTRY_SIGNATURE 0x02014b50u
#define END_SIGNATURE 0x06054b50u
#define LOCATOR_SIGNATURE 0x07064b50u
#define END64_SIGNATURE 0x06064b50u
#define LOCAL_BYTES 30
#define ENTRY_BYTES 46
#define END_BYTES 22
#define LOCATOR_BYTES 20
#define END64_BYTES 56
#define MOST_COMMENT 65535
#define MOST_MEMBERS 65535
#define WIDE16 0xffffu /* "see the Zip64 field" */
#define WIDE32 0xffffffffu
#define EXTRA_ZIP64 1

snug_status snug__zip_read(const snug__zip *z, void *dst, size_t n, int64_t offset) {
  char reason[128];
  if (snug__read_at(z->fd, dst, n, offset)) {
    return SNUG_OK;
  }
  if (errno == 0) {
    return SNUG__BAD_ZIP(z, "the file ends in the middle of the archive");
  }
  return snug__fail(z->ctx, SNUG_E_IO, "%s: cannot be read: %s", z->path,
                    strerror_r(errno, reason, sizeof reason));
}

/* The last place in the tail where an end with a comment of just the right length begins. */
static snug_status find_end(const snug__zip *z, const uint8_t *tail, size_t n, size_t *at) {
  for (size_t i = n - END_BYTES + 1; i-- > 0;) {
    snug__cursor c = snug__cursor_of(tail + i, n - i);
    if (snug__get(&c, 4) == END_SIGNATURE) {
      snug__skip(&c, END_BYTES - 6);
      if (snug__get(&c, 2) == n - i - END_BYTES) {
        *at = i;
        return SNUG_OK;
      }
    }
  }
  return SNUG__BAD_ZIP(z, "is not a zip archive, or its end is missing");
}

/* What an end says, plain or Zip64. */
typedef struct ending {
  uint64_t disk, directory_disk, n_here, n_all, size, offset;
  int64_t at; /* where the end itself begins, that of Zip64 if there is one */
} ending;

static ending read_end(const uint8_t *bytes, int64_t at) {
  snug__cursor c = snug__cursor_of(bytes + 4, END_BYTES - 4);
  ending e = {.at = at};
  e.disk = snug__get(&c, 2);
  e.directory_disk = snug__get(&c, 2);
  e.n_here = snug__get(&c, 2);
  e.n_all = snug__get(&c, 2);
  e.size = snug__get(&c, 4);
  e.offset = snug__get(&c, 4);
  return e;
}

static snug_status read_end64(const snug__zip *z, ending *e) {
  uint8_t locator[LOCATOR_BYTES], end[END64_BYTES];
  if (e->at < LOCATOR_BYTES) {
    return SNUG__BAD_ZIP(z, "its Zip64 end is missing");
  }
  SNUG_TRY(snug__zip_read(z, locator, sizeof locator, e->at - LOCATOR_BYTES));
  snug__cursor c = snug__cursor_of(locator, sizeof locator);
  bool good = snug__get(&c, 4) == LOCATOR_SIGNATURE && snug__get(&c, 4) == 0;
  uint64_t at = snug__get(&c, 8);
  if (!good || at > (uint64_t)e->at || e->at - (int64_t)at < LOCATOR_BYTES + END64_BYTES) {
    return SNUG__BAD_ZIP(z, "its Zip64 end is missing");
  }
  SNUG_TRY(snug__zip_read(z, end, sizeof end, (int64_t)at));
  c = snug__cursor_of(end, sizeof end);
  if (snug__get(&c, 4) != END64_SIGNATURE) {
    return SNUG__BAD_ZIP(z, "its Zip64 end is damaged");
  }
  snug__skip(&c, 12);
  e->disk = snug__get(&c, 4);
  e->directory_disk = snug__get(&c, 4);
  e->n_here = snug__get(&c, 8);
  e->n_all = snug__get(&c, 8);
  e->size = snug__get(&c, 8);
  e->offset = snug__get(&c, 8);
  e->at = (int64_t)at;
  return SNUG_OK;
}

static bool is_wide(const ending *e) {
  return e->n_all == WIDE16 || e->size == WIDE32 || e->offset == WIDE32;
}

static snug_status set_directory(snug__zip *z, ending *e) {
  if (is_wide(e)) {
    SNUG_TRY(read_end64(z, e));
  }
  if (e->disk != 0 || e->directory_disk != 0 || e->n_here != e->n_all) {
    return SNUG__BAD_ZIP(z, "is a part of an archive in several parts; join them");
  }
  if (e->n_all > MOST_MEMBERS) {
    return SNUG__BAD_ZIP(z, "says that it has %llu members; at most %d are read",
                         (unsigned long long)e->n_all, MOST_MEMBERS);
  }
  if (e->offset > (uint64_t)e->at || e->size != (uint64_t)e->at - e->offset) {
    return SNUG__BAD_ZIP(z, "its directory does not lie where it says");
  }
  z->directory = (int64_t)e->offset;
  z->directory_size = (int64_t)e->size;
  z->n_members = e->n_all;
  return SNUG_OK;
}

/* A comment may stand behind the end, so the end is looked for. */
static snug_status find_directory(snug__zip *z) {
  int64_t n = snug__min_i64(z->size, END_BYTES + MOST_COMMENT);
  uint8_t *tail = NULL;
  size_t at = 0;
  if (n < END_BYTES) {
    return SNUG__BAD_ZIP(z, "is not a zip archive: it has %lld bytes", (long long)n);
  }
  SNUG_TRY(SNUG_NEW_ARRAY(z->ctx, SNUG__MEM_SCRATCH, n, &tail));
  snug_status s = snug__zip_read(z, tail, (size_t)n, z->size - n);
  s = s ? s : find_end(z, tail, (size_t)n, &at);
  ending e = {0};
  if (!s) {
    e = read_end(tail + at, z->size - n + (int64_t)at);
  }
  SNUG_GIVE_ARRAY(z->ctx, SNUG__MEM_SCRATCH, tail, n);
  return s ? s : set_directory(z, &e);
}

/* Sizes that do not fit in 32 bits stand in a field of their own, in this order. */
static bool widen(snug__cursor *extra, uint64_t *bytes, uint64_t *packed, uint64_t *header) {
  uint64_t *const wide[] = {bytes, packed, header};
  while (snug__cursor_left(extra) > 0 && !extra->over) {
    uint64_t id = snug__get(extra, 2);
    size_t n = (size_t)snug__get(extra, 2);
    const uint8_t *field = snug__skip(extra, n);
    if (!field || id != EXTRA_ZIP64) {
      continue;
    }
    snug__cursor c = snug__cursor_of(field, n);
    for (size_t i = 0; i < SNUG_COUNT(wide); i++) {
      if (*wide[i] == WIDE32) {
        *wide[i] = snug__get(&c, 8);
      }
    }
    return !c.over;
  }
  return !extra->over;
}

/* Whether a name could lead out of a folder.  None of them is ever opened; an archive that has such
 * a name is not one that Keras or NumPy wrote. */
static bool is_outside(const char *name) {
  if (name[0] == '/' || strchr(name, '\\')) {
    return true;
  }
  for (const char *part = name; part; part = strchr(part, '/')) {
    part += *part == '/';
    if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2])) {
      return true;
    }
  }
  return false;
}

static snug_status check_member(const snug__zip *z, const snug__zip_member *m, size_t name_bytes,
                                const uint64_t numbers[3]) {
  if (strlen(m->name) != name_bytes || is_outside(m->name)) {
    return SNUG__BAD_ZIP(z, "has a member named '%s': that is no name in an archive", m->name);
  }
  if (numbers[0] > INT64_MAX || numbers[1] > (uint64_t)z->directory ||
      numbers[2] > (uint64_t)z->directory) {
    return SNUG__BAD_ZIP(z, "%s does not lie inside of the archive", m->name);
  }
  return SNUG_OK;
}

static snug_status read_extra(const snug__zip *z, int64_t at, size_t n, uint64_t numbers[3]) {
  uint8_t *extra = NULL;
  if (n == 0) {
    return SNUG_OK;
  }
  SNUG_TRY(SNUG_NEW_ARRAY(z->ctx, SNUG__MEM_SCRATCH, n, &extra));
  snug_status s = snug__zip_read(z, extra, n, at);
  snug__cursor c = snug__cursor_of(extra, n);
  if (!s && !widen(&c, &numbers[0], &numbers[1], &numbers[2])) {
    s = SNUG__BAD_ZIP(z, "its directory is damaged");
  }
  SNUG_GIVE_ARRAY(z->ctx, SNUG__MEM_SCRATCH, extra, n);
  return s;
}

/* The entry at *at of the directory; *at moves on to the next one. */
static snug_status read_entry(const snug__zip *z, int64_t *at, snug__zip_member *m) {
  uint8_t entry[ENTRY_BYTES];
  int64_t left = z->directory + z->directory_size - *at;
  if (left < ENTRY_BYTES) {
    return SNUG__BAD_ZIP(z, "its directory is damaged");
  }
  SNUG_TRY(snug__zip_read(z, entry, sizeof entry, *at));
  snug__cursor c = snug__cursor_of(entry, sizeof entry);
  bool good = snug__get(&c, 4) == ENTRY_SIGNATURE;
  uint64_t numbers[3]; /* bytes, packed, header */
  snug__skip(&c, 4);
  *m = (snug__zip_member){.flags = (uint32_t)snug__get(&c, 2)};
  m->method = (uint32_t)snug__get(&c, 2);
  snug__skip(&c, 4);
  m->crc = (uint32_t)snug__get(&c, 4);
  numbers[1] = snug__get(&c, 4);
  numbers[0] = snug__get(&c, 4);
  size_t name = (size_t)snug__get(&c, 2), extra = (size_t)snug__get(&c, 2);
  size_t comment = (size_t)snug__get(&c, 2);
  snug__skip(&c, 8);
  numbers[2] = snug__get(&c, 4);
  if (!good || (int64_t)(name + extra + comment) > left - ENTRY_BYTES) {
    return SNUG__BAD_ZIP(z, "its directory is damaged");
  }
  if (name >= sizeof m->name) {
    return SNUG__BAD_ZIP(z, "has a member with a name of %zu bytes", name);
  }
  SNUG_TRY(snug__zip_read(z, m->name, name, *at + ENTRY_BYTES));
  SNUG_TRY(read_extra(z, *at + ENTRY_BYTES + (int64_t)name, extra, numbers));
  SNUG_TRY(check_member(z, m, name, numbers));
  m->bytes = (int64_t)numbers[0];
  m->packed = (int64_t)numbers[1];
  m->header = (int64_t)numbers[2];
  *at += ENTRY_BYTES + (int64_t)(name + extra + comment);
  return SNUG_OK;
}

snug_status snug__zip_next(const snug__zip *z, int64_t *at, snug__zip_member *m, bool *is_there) {
  int64_t end = z->directory + z->directory_size;
  *at = *at ? *at : z->directory;
  *is_there = *at < end;
  return *is_there ? read_entry(z, at, m) : SNUG_OK;
}

snug_status snug__zip_open(snug__zip *z, snug_ctx *ctx, const char *path, int fd, int64_t size) {
  snug__zip_member m;
  int64_t at = 0;
  uint64_t n = 0;
  *z = (snug__zip){.ctx = ctx, .path = path, .fd = fd, .size = size};
  SNUG_TRY(find_directory(z));
  for (bool is_there = true; is_there; n += is_there) {
    SNUG_TRY(snug__zip_next(z, &at, &m, &is_there));
  }
  return n == z->n_members ? SNUG_OK : SNUG__BAD_ZIP(z, "its directory is damaged");
}

snug_status snug__zip_find(const snug__zip *z, const char *name, snug__zip_member *out,
                           bool *found) {
  snug__zip_member m;
  int64_t at = 0;
  *found = false;
  for (bool is_there = true; is_there;) {
    SNUG_TRY(snug__zip_next(z, &at, &m, &is_there));
    if (!is_there || strcmp(m.name, name) != 0) {
      continue;
    }
    if (*found) {
      return SNUG__BAD_ZIP(z, "has %s twice", name);
    }
    *found = true;
    *out = m;
  }
  return SNUG_OK;
}

static snug_status check_kind(const snug__zip *z, const snug__zip_member *m) {
  if (m->flags & 0x2041) { /* encrypted, with a strong method, with a hidden directory */
    return SNUG__BAD_ZIP(z, "%s is encrypted; unpack it with its password and zip it without",
                         m->name);
  }
  if (m->method != 0 && m->method != 8) {
    return SNUG__BAD_ZIP(z, "%s is compressed by method %u; zip it anew, stored or with deflate",
                         m->name, m->method);
  }
  if (m->method == 0 && m->packed != m->bytes) {
    return SNUG__BAD_ZIP(z, "%s is stored, but in %lld bytes instead of %lld", m->name,
                         (long long)m->packed, (long long)m->bytes);
  }
  return SNUG_OK;
}

snug_status snug__zip_packed(const snug__zip *z, const snug__zip_member *m, int64_t *offset) {
  uint8_t local[LOCAL_BYTES];
  char name[SNUG__ZIP_NAME_BYTES];
  SNUG_TRY(check_kind(z, m));
  SNUG_TRY(snug__zip_read(z, local, sizeof local, m->header));
  snug__cursor c = snug__cursor_of(local, sizeof local);
  bool good = snug__get(&c, 4) == LOCAL_SIGNATURE;
  snug__skip(&c, 22);
  size_t name_bytes = (size_t)snug__get(&c, 2), extra = (size_t)snug__get(&c, 2);
  if (good && name_bytes == strlen(m->name)) {
    SNUG_TRY(snug__zip_read(z, name, name_bytes, m->header + LOCAL_BYTES));
    good = memcmp(name, m->name, name_bytes) == 0;
    *offset = m->header + LOCAL_BYTES + (int64_t)(name_bytes + extra);
    good = good && *offset <= z->directory && m->packed <= z->directory - *offset;
    if (good) {
      return SNUG_OK;
    }
  }
  return SNUG__BAD_ZIP(z, "%s is not where the directory says", m->name);
}
