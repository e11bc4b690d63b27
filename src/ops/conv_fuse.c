/* What is fused into a convolution: the zero padding before it. */
#include "graph/rewrite.h"
#include "ops/conv.h"
#include "ops/support.h"

snug_status snug__fuse_conv(snug__rewrite *r, snug__id id, bool *replaced) {
  const snug__node *n = snug__node_at(r->from, id);
  const snug__id in[2] = {snug__unpadded(r, n->in[0]), snug__rewritten(r, n->in[1])};
  snug__conv2d_params p = *(const snug__conv2d_params *)n->params;
  snug__id out = SNUG_NONE;
  if (in[0] == SNUG_NONE) {
    return SNUG_OK;
  }
  p.padding = SNUG__PADDING_SAME;
  snug__rewrite_as(r, id);
  SNUG_TRY(snug__graph_add(r->to, n->op, &p, in, 2, &out, 1));
  snug__rewrite_map(r, n->out[0], out);
  *replaced = true;
  return SNUG_OK;
}
