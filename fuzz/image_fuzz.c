/* libFuzzer over images. */
#include "one.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  fuzz_one_image(data, bytes);
  return 0;
}
