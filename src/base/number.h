/* Numbers as text, the same in every locale of the program that uses the library. */
#ifndef SNUG_BASE_NUMBER_H
#define SNUG_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#define SNUG__NUMBER_BYTES 32 /* room for any number that is printed here */

/* Read a number and move *at behind it.  Fails: false if there is none, or it is out of range, or
 * not a number (nan); *at and *out are then untouched. */
bool snug__read_int(const char **at, int64_t *out);
bool snug__read_float(const char **at, double *out);

/* The shortest text that reads back to the same bits, into out; returns out. */
const char *snug__print_float(double value, char out[SNUG__NUMBER_BYTES]);

/* The same as Python writes it: 1.0, 0.001, 1e-05, 1e+16, inf, nan. */
const char *snug__print_repr(double value, char out[SNUG__NUMBER_BYTES]);

/* Bytes as people read them, "512 MiB", "1.5 GiB", never less than they are: whoever types in what
 * was told to be enough has enough.  Returns out. */
const char *snug__print_bytes(uint64_t bytes, char out[SNUG__NUMBER_BYTES]);

#endif
