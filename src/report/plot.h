/* Bytes over time, or values over epochs, as SVG.  Coordinates are whole numbers: they read the
 * same in every locale. */
#ifndef SNUG_REPORT_PLOT_H
#define SNUG_REPORT_PLOT_H

#include "report/view.h"

#define SNUG__PLOT_COLUMNS 820 /* pieces of time that a curve has */

typedef struct snug__plot {
  const snug__out *o;
  double first, seconds; /* where the time (or the epochs) begins, and how long it is */
  double low, top;       /* where the other axis begins and ends: bytes, or values */
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

/* A line that was to be held, by its name, and where epochs begin, validations and saves are. */
void snug__plot_line(const snug__plot *p, uint64_t bytes, const char *name);
void snug__plot_spans(const snug__plot *p, const snug__run *run);

/* The same for values of epochs, from 1: the least and the greatest are in `range`. */
void snug__plot_begin_values(snug__plot *p, const snug__out *o, double first, double last,
                             const double range[2], const char *title);

/* A value of each epoch of a run; it breaks off where there is none. */
void snug__plot_values(const snug__plot *p, const snug__run *run, const char *name,
                       const char *line_class);

/* Whether spans of a stage are drawn: there are some, and not too many to be distinguished. */
bool snug__plot_shows(const snug__run *run, snug__stage stage);

/* A point that can be pointed at and that the keyboard reaches; `says` is quoted already. */
void snug__plot_point(const snug__plot *p, double seconds, uint64_t bytes, const char *class_name,
                      const char *says);

#endif
