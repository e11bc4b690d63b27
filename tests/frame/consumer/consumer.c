/* The smallest user of the library, in the words that C11 and C++17 share. */
#include <snug/snug.h>
#include <stdio.h>

int main(void) {
  snug_ctx *ctx = NULL;
  if (snug_ctx_create(NULL, &ctx) != SNUG_OK) {
    return 1;
  }
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  snug_memory_get(ctx, &info);
  printf("snug %s holds %llu bytes\n", snug_version(), (unsigned long long)info.current);
  snug_ctx_destroy(ctx);
  return info.current > 0 ? 0 : 1;
}
