#include "pass/passes.h"

#include "pass/fuse.h"
#include "pass/recompute.h"

void snug__pass_accept(snug__rewrite *r, snug__graph **graph, snug__id *ids, size_t n) {
  snug__graph *old = *graph;
  for (size_t i = 0; i < n; i++) {
    ids[i] = ids[i] == SNUG_NONE ? SNUG_NONE : r->map[ids[i]];
  }
  *graph = r->to;
  r->to = NULL;
  snug__rewrite_release(r);
  snug__graph_destroy(old);
}

snug_status snug__pass_all(snug__graph **graph, const snug__pass_options *options,
                           snug__variable_layouts *variables, snug__id *ids, size_t n) {
  static const snug__pass_options defaults;
  const snug__pass_options *o = options ? options : &defaults;
  const snug__device *device = o->device ? o->device : (*graph)->ctx->queue.device;
  snug__rewrite r;
  if (!o->no_fuse) {
    SNUG_TRY(snug__pass_fuse(*graph, &r));
    snug__pass_accept(&r, graph, ids, n);
  }
  SNUG_TRY(snug__pass_assign_layouts(*graph, device, &o->kernels, variables, &r));
  snug__pass_accept(&r, graph, ids, n);
  if (!o->no_recompute) {
    SNUG_TRY(snug__pass_recompute_cheap(*graph, device, &r));
    snug__pass_accept(&r, graph, ids, n);
  }
  if (o->offload) {
    SNUG_TRY(snug__pass_offload(*graph, o->offload, &r));
    snug__pass_accept(&r, graph, ids, n);
  }
  return SNUG_OK;
}
