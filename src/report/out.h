/* Text of any length into a sink, piece by piece; nothing is allocated. */
#ifndef SNUG_REPORT_OUT_H
#define SNUG_REPORT_OUT_H

#include <stdio.h>

#include "report/write.h"

typedef struct snug__out {
  snug_sink *sink;
  void *user;
} snug__out;

/* As printf, for what stays under SNUG__LINE_BYTES: numbers and words of our own.  Texts from
 * outside are quoted. */
void snug__out_format(const snug__out *o, const char *format, ...) SNUG_PRINTF(2, 3);

/* A whole text as it is, of any length. */
void snug__out_text(const snug__out *o, const char *text);
void snug__out_quoted(const snug__out *o, snug_quoting how, const char *text);

/* A text cut to this many columns (0: not at all) and filled up with blanks to `wide`; a negative
 * `wide` puts the blanks before it. */
void snug__out_cell(const snug__out *o, snug_quoting how, const char *text, size_t most, int wide);

/* The shortest text that reads back as the same number, in every locale; `other` where it is not
 * finite. */
void snug__out_real(const snug__out *o, double value, const char *other);

/* Quote into room of the caller's; what does not fit is cut.  Returns dst. */
const char *snug__quote_into(char *dst, size_t bytes, snug_quoting how, const char *text);

/* Seconds for people: "8.1 s", "2 min 5 s"; returns out. */
#define SNUG__TIME_BYTES 32
const char *snug__time_text(double seconds, char out[SNUG__TIME_BYTES]);

/* A value as Keras shows it. */
const char *snug__value_text(double value, char out[SNUG__TIME_BYTES]);

/* "+5.2 %", "-64 %", "the same"; "" where parts of the base say nothing, as it is not above 0. */
const char *snug__percent_text(double value, double base, char out[SNUG__TIME_BYTES]);

/* How much more: "+0.2500", "-0.0125". */
const char *snug__more_text(double value, double base, char out[SNUG__TIME_BYTES]);

#endif
