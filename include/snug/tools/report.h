/* What users see of a run: Keras's progress bar, and boxes with a verdict.  Text goes to a sink of
 * the caller; the library itself prints nothing.  Nothing here fails, allocates or keeps its
 * arguments; lines are truncated at 1023 bytes.  NULL strings are empty, a NULL sink drops the
 * text.
 */
#ifndef SNUG_TOOLS_REPORT_H
#define SNUG_TOOLS_REPORT_H

#include "snug/train.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- texts of unknown origin ---- */

/* The medium that a string is written for.  For terminals and pages, control characters and
 * characters that change the text direction are replaced, line ends by blanks, so that the string
 * cannot act.  JSON and CSV keep it complete, in quotes; a CSV field that a spreadsheet would
 * evaluate gets a leading apostrophe. */
typedef enum snug_quoting {
  SNUG_QUOTE_TERMINAL,
  SNUG_QUOTE_ASCII, /* a terminal that shows ASCII alone */
  SNUG_QUOTE_HTML,  /* content or the value of an attribute */
  SNUG_QUOTE_JSON,
  SNUG_QUOTE_CSV
} snug_quoting;

/* Write n bytes of untrusted text, such as the name of a file or a layer.  Invalid UTF-8 becomes
 * U+FFFD (ASCII: "?"). */
SNUG_API void snug_quote(snug_sink *sink, void *user, snug_quoting how, const char *text, size_t n);

/* The head and the end of a self-contained page that may not load anything; it follows the reader's
 * choice of light or dark.  The content of its body goes between them. */
SNUG_API void snug_page_begin(snug_sink *sink, void *user, const char *title);
SNUG_API void snug_page_end(snug_sink *sink, void *user);

/* ---- progress ---- */

/* A progress display in storage of the caller, who sets the first members and zeroes the rest. */
typedef struct snug_progress {
  size_t struct_size;
  /* set by caller */
  snug_sink *sink;
  void *user;
  bool bar;       /* a bar that is redrawn, for terminals; otherwise one line per epoch */
  bool colour;    /* escape sequences for colour */
  bool ascii;     /* no characters beyond ASCII */
  size_t columns; /* of the terminal: a bar that is drawn again stays within them, and leaves out
                     values that have no room; 0: no limit */
  bool memory;    /* behind the values, `mem`: what is resident of the process now */
  /* private */
  int64_t epochs, steps, done;
  double epoch_start, first_step, last_drawn;
  size_t width;
} snug_progress;

/* A callback for snug_fit_options.callbacks, to *out; the progress must stay in place while it is
 * used.  Of NULL or without struct_size: a callback that does nothing. */
SNUG_API void snug_progress_callback(snug_progress *progress, snug_callback *out);

/* A callback that adds the peak memory of the process so far, in bytes, to the logs of every epoch:
 * later callbacks and the history have it under this name.  *peak must stay in place while it is
 * used.  Of NULL: a callback that does nothing. */
#define SNUG_PEAK_MEMORY "peak_memory"
SNUG_API void snug_peak_memory_callback(double *peak, snug_callback *out);

/* ---- numbers and boxes ---- */

/* Bytes for people: "812 B", "3.4 MiB".  Always rounded up, so that the least line, as it is shown,
 * is enough.  Returns out ("" if that is NULL). */
#define SNUG_BYTES_TEXT 32
SNUG_API const char *snug_bytes_text(uint64_t bytes, char out[SNUG_BYTES_TEXT]);

/* "activations 5.1 MiB · optimizer 1.2 MiB ...": the parts of a report, largest first, into out
 * (cut to fit). */
SNUG_API void snug_memory_text(const snug_memory_report *report, bool ascii, char *out,
                               size_t bytes);

/* One line of a box. */
typedef struct snug_box_row {
  const char *label, *text;
} snug_box_row;

/* A box with a title and labelled rows.  columns: of the terminal; a text that does not fit goes on
 * in a line of its own, broken at " · " (ASCII: ", ") where it can be.  0: as wide as it gets. */
SNUG_API void snug_box(snug_sink *sink, void *user, bool ascii, size_t columns, const char *title,
                       const snug_box_row *rows, size_t n_rows);

#ifdef __cplusplus
}
#endif
#endif
