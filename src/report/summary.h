/* The inside of a summary. */
#ifndef SNUG_REPORT_SUMMARY_H
#define SNUG_REPORT_SUMMARY_H

#include "base/map.h"
#include "model/model.h"
#include "snug/tools/summary.h"

struct snug_summary {
  snug_ctx *ctx;
  snug__arena arena;
  snug__map by_name; /* of rows: their index */
  const char *model, *optimizer;
  snug_summary_row *rows;
  size_t n;
  bool is_chain;   /* every layer follows the one before it: no column of connections */
  bool has_frozen; /* layers that could be trained and are not */
  snug_summary_totals totals;
  uint64_t held; /* bytes of the context before there was a summary */
};

/* The row of a layer's name, or NULL. */
snug_summary_row *snug__summary_row(const snug_summary *s, const char *name);

/* Fill in what the graphs of a step tell: FLOPs, and of a compiled model what is saved and the
 * peak. */
snug_status snug__summary_flops(snug_summary *s, snug_model *m) SNUG_NODISCARD;
snug_status snug__summary_training(snug_summary *s, snug_model *m) SNUG_NODISCARD;

/* The table of layers (summary_table.c); columns 0: as wide as it gets. */
void snug__summary_table(const snug_summary *s, snug_sink *sink, void *user, bool ascii,
                         size_t columns);

/* "1,199,882"; "24.3 M", as papers write it.  Both return out. */
const char *snug__commas_text(uint64_t n, char out[32]);
const char *snug__unit_text(double n, char out[32]);

#endif
