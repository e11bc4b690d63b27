#include "graph/signature.h"

#include "base/ctx.h"

snug__signature snug__signature_of(const snug__graph *g, const snug__node *node, snug__type *in,
                                   snug__type *out) {
  snug__graph_types(g, node->in, node->n_in, in);
  snug__graph_types(g, node->out, node->n_out, out);
  return (snug__signature){.op = node->op,
                           .params = node->params,
                           .n_in = node->n_in,
                           .n_out = node->n_out,
                           .in = in,
                           .out = out,
                           .target = g->ctx->target,
                           .kernel = node->kernel};
}
