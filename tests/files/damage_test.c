/* Files that are cut at every byte or changed at every byte: a message, never a crash, and no more
 * memory than the file can fill. */
#include <stdlib.h>
#include <string.h>

#include "files/open.h"
#include "lib/fault.h"

static bool is_refusal(snug_status s) {
  return s == SNUG_E_FORMAT || s == SNUG_E_UNSUPPORTED || s == SNUG_E_DATA;
}

/* Nothing but the whole file is good. */
static void cut_everywhere(const char *name) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("cut");
  size_t n = 0;
  unsigned char *bytes = slurp(data_path(name), &n);
  for (size_t k = 0; k < n; k++) {
    spill(path, bytes, k);
    snug_status s = read_whole(ctx, path);
    if (!is_refusal(s) || !strstr(snug_message(ctx), "cut")) {
      test_fail(__FILE__, __LINE__, "%s cut at %zu of %zu: %s, %s", name, k, n, snug_status_text(s),
                snug_message(ctx));
    }
  }
  spill(path, bytes, n);
  ASSERT_OK(ctx, read_whole(ctx, path));
  free(bytes);
}

TEST(npy_cut_anywhere) { cut_everywhere("f4.npy"); }
TEST(converted_npy_cut_anywhere) { cut_everywhere("fortran_big_i2.npy"); }
TEST(npz_cut_anywhere) { cut_everywhere("plain.npz"); }
TEST(deflated_npz_cut_anywhere) { cut_everywhere("deflated.npz"); }
TEST(idx_cut_anywhere) { cut_everywhere("i4.idx"); }
TEST(gzipped_idx_cut_anywhere) { cut_everywhere("images.idx.gz"); }

/* Whatever a byte becomes: good, or a message; and memory stays in bounds. */
static void change_everywhere(const char *name) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("changed");
  static const unsigned char masks[] = {0xFF, 0x01, 0x80, 0x20};
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  size_t n = 0;
  unsigned char *bytes = slurp(data_path(name), &n);
  for (size_t k = 0; k < n; k++) {
    bytes[k] ^= masks[k % sizeof masks];
    spill(path, bytes, n);
    snug_status s = read_whole(ctx, path);
    ASSERT_TRUE(s == SNUG_OK || is_refusal(s));
    bytes[k] ^= masks[k % sizeof masks];
  }
  snug_memory_get(ctx, &info);
  ASSERT_TRUE(info.peak < (64u << 10) + n * 2 * 1032);
  free(bytes);
}

TEST(npy_changed_anywhere) { change_everywhere("f4.npy"); }
TEST(npz_changed_anywhere) { change_everywhere("plain.npz"); }
TEST(deflated_npz_changed_anywhere) { change_everywhere("deflated.npz"); }
TEST(gzipped_idx_changed_anywhere) { change_everywhere("images.idx.gz"); }

static snug_status scenario(snug_ctx *ctx, void *name) { return read_whole(ctx, data_path(name)); }

static char npy[] = "fortran_f4.npy", npz[] = "several.npz", gz[] = "images.idx.gz";
TEST(npy_without_memory) { test_fault_sweep(scenario, npy); }
TEST(npz_without_memory) { test_fault_sweep(scenario, npz); }
TEST(gz_without_memory) { test_fault_sweep(scenario, gz); }

TEST(an_array_beyond_the_limit_is_refused_by_name) {
  snug_options options = SNUG_INIT(snug_options);
  options.memory_limit = 24000; /* unpacking takes 16 KiB */
  snug_ctx *ctx = test_ctx_with(&options);
  snug_arrays *a = NULL;
  const snug_array *x = NULL;
  ASSERT_OK(ctx, open_named(ctx, "deflated.npz", &a));
  ASSERT_STATUS(ctx, snug_arrays_get(a, "x", &x), SNUG_E_LIMIT,
                "deflated.npz: x: no memory for 8000 bytes of data");
  ASSERT_OK(ctx, snug_arrays_get(a, "y", &x));
  snug_arrays_destroy(a);
}
