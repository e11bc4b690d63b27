#include "pass/fuse.h"

static snug_status apply_rule(snug__rewrite *r, snug__id node, bool *replaced) {
  const snug__op *op = snug__node_at(r->from, node)->op;
  return op->rewrite ? op->rewrite(r, node, replaced) : SNUG_OK;
}

snug_status snug__pass_fuse(const snug__graph *g, snug__rewrite *out) {
  SNUG_TRY(snug__rewrite_open(g, apply_rule, NULL, out));
  snug_status s = snug__rewrite_run(out);
  if (s) {
    snug__rewrite_release(out);
  }
  return s;
}
