/* Bytes over time as SVG.  Coordinates are whole numbers: they read the same in every locale. */
#ifndef SNUG_REPORT_PLOT_H
#define SNUG_REPORT_PLOT_H

#include "report/view.h"

#define SNUG__PLOT_COLUMNS 820 /* pieces of time that a curve has */

typedef struct snug__plot {
  const snug__out *o;
  double seconds, top; /* what the axes end at; top in bytes */
  uint64_t levels[SNUG__PLOT_COLUMNS];
} snug__plot;

/* Begin the picture, with its axes; `what` names it for those who do not see it, and may be long.
 * `most`: the highest number of bytes in it. */
void snug__plot_begin(snug__plot *p, const snug__out *o, double seconds, uint64_t most,
                      const char *title);
void snug__plot_end(const snug__plot *p);

/* A curve of a run, with the classes of its line; `area`: filled below. */
void snug__plot_curve(snug__plot *p, const snug__run *run, snug__curve which,
                      const char *line_class, bool area);

/* The line that was to be held, and where epochs begin, validations and saves are. */
void snug__plot_line(const snug__plot *p, uint64_t bytes);
void snug__plot_spans(const snug__plot *p, const snug__run *run);

/* Whether spans of a stage are drawn: there are some, and not too many to be told apart. */
bool snug__plot_shows(const snug__run *run, snug__stage stage);

/* A point that can be pointed at and that the keyboard reaches; `says` is quoted already. */
void snug__plot_point(const snug__plot *p, double seconds, uint64_t bytes, const char *class_name,
                      const char *says);

#endif
