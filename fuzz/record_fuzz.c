/* libFuzzer over recordings. */
#include "one.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  fuzz_one_record(data, bytes);
  return 0;
}
