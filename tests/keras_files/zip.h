/* Zip archives as nobody should make them: every number in them can lie. */
#ifndef SNUG_TESTS_ZIP_H
#define SNUG_TESTS_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct test_member {
  const char *name;
  const void *data;
  size_t bytes;
  bool deflate;           /* compress it */
  bool zip64;             /* sizes and place in a field of their own */
  uint32_t flags, method; /* as the directory says; added to what would be right */
  uint32_t crc_off;       /* what the checksum is wrong by */
  int64_t bytes_off;      /* what the size is wrong by */
  int64_t packed_off;     /* what the packed size is wrong by */
  int64_t header_off;     /* what the place is wrong by */
  const char *local_name; /* as the header at the member says; NULL: the name */
} test_member;

typedef struct test_zip {
  const char *before, *comment;        /* text before the archive and behind it; NULL: none */
  int64_t n_off, size_off, offset_off; /* what the end is wrong by */
  bool zip64;                          /* with a Zip64 end */
} test_zip;

/* Write an archive; `how` may be NULL. */
void test_zip_write(const char *path, const test_zip *how, const test_member *m, size_t n);

#endif
