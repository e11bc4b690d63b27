/* What a fuzzer does with one input.  Aborts if a rule is broken; the sanitizers see the rest. */
#ifndef SNUG_FUZZ_ONE_H
#define SNUG_FUZZ_ONE_H

#include <stddef.h>
#include <stdint.h>

/* Any bytes as a `.keras` file, or as the HDF5 file in one: all in it is read, then it is loaded.
 */
void fuzz_one_file(const uint8_t *data, size_t bytes);

/* Any bytes as a file of arrays, or as a table: all arrays are read, whole and by their rows. */
void fuzz_one_data(const uint8_t *data, size_t bytes);

/* Any text as config.json: a model is built and compiled, or refused. */
void fuzz_one_config(const uint8_t *data, size_t bytes);

/* Any bytes as an image: decoded and resized with the memory that its header asks for, or refused.
 */
void fuzz_one_image(const uint8_t *data, size_t bytes);

/* Any bytes as a recording, as they are and again with right checksums: all in it is read. */
void fuzz_one_record(const uint8_t *data, size_t bytes);

#endif
