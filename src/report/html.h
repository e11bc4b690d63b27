/* Parts of the pages of views. */
#ifndef SNUG_REPORT_HTML_H
#define SNUG_REPORT_HTML_H

#include "report/plot.h"

void snug__html_heading(const snug__out *o, const char *text);

/* A table with a caption whose columns have these heads, separated by "|", and behind them the
 * names of the values of a view (NULL: none).  It scrolls by itself where it is long. */
void snug__html_table(const snug__out *o, const char *caption, const char *heads, size_t rows,
                      const snug_view *values);
void snug__html_table_end(const snug__out *o);

/* A cell with a number of bytes, "" where that is 0; with a text that is quoted. */
void snug__html_bytes(const snug__out *o, uint64_t bytes);
void snug__html_cell(const snug__out *o, const char *text);

/* The head of a row, quoted; "" becomes `none`. */
void snug__html_row(const snug__out *o, const char *name, const char *none);
void snug__html_row_end(const snug__out *o);

/* One entry of a definition list of tiles; the text is quoted. */
void snug__html_tile(const snug__out *o, const char *name, const char *text);

/* Tables of one run: what the peak was made of, per layer or process, plan against run, epochs,
 * target batches, facts.  Each is nothing where there is nothing to tell. */
void snug__html_peak(const snug__run *run, const snug__out *o);
void snug__html_holders(const snug__run *run, const snug__out *o);
void snug__html_plan(const snug__run *run, const snug__out *o);
void snug__html_epochs(const snug_view *view, const snug__out *o);
void snug__html_targets(const snug__run *run, const snug__out *o);
void snug__html_facts(const snug__run *run, const snug__out *o);

/* A piece of the line that a run has in the pictures of several; what the runs are, and how they
 * differ. */
void snug__html_run_key(const snug__out *o, size_t run);
void snug__compare_tables(const snug_view *view, const snug__out *o);

/* What rules say. */
void snug__html_judgements(const snug_view *view, const snug__out *o);
void snug__html_footer(const snug__out *o);

#endif
