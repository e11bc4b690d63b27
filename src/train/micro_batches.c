#include "train/micro_batches.h"

#include "base/size.h"
#include "device/device.h"
#include "graph/op.h"

static snug_status refuse(snug_model *m, const snug__graph *g, const snug__node *node,
                          const char *why) {
  return snug__fail(m->ctx, SNUG_E_UNSUPPORTED,
                    "%s (%s): the batch cannot be run in pieces: %s; train without micro-batches",
                    snug__layer_name(g, node->layer), node->op->name, why);
}

static snug_status refuse_statistics(snug_model *m, const snug__graph *g, const snug__node *node) {
  return snug__fail(m->ctx, SNUG_E_UNSUPPORTED,
                    "%s: the batch cannot be run in pieces: its statistics are taken over all "
                    "samples of a batch; allow batch statistics of pieces (other results), freeze "
                    "the layer, or train without micro-batches",
                    snug__layer_name(g, node->layer));
}

static const char *whole_batch(const snug__graph *g, const snug__node *node) {
  snug__type in[SNUG__MAX_IN];
  snug__type out[SNUG__MAX_OUT];
  snug__signature sig = {.op = node->op,
                         .params = node->params,
                         .n_in = node->n_in,
                         .n_out = node->n_out,
                         .in = in,
                         .out = out};
  snug__graph_types(g, node->in, node->n_in, in);
  snug__graph_types(g, node->out, node->n_out, out);
  return node->op->whole_batch ? node->op->whole_batch(&sig) : NULL;
}

static snug_status check_nodes(snug_model *m, const snug__graph *g, bool allow_batch_statistics) {
  for (snug__id id = 0; id < g->nodes.n; id++) {
    const snug__node *node = snug__node_at(g, id);
    const char *why = whole_batch(g, node);
    if (why) {
      return refuse(m, g, node, why);
    }
    if ((node->op->flags & SNUG__OP_BATCH_STATISTICS) && !allow_batch_statistics) {
      return refuse_statistics(m, g, node);
    }
  }
  return SNUG_OK;
}

snug_status snug__micro_batches_check(snug_model *m, bool allow_batch_statistics) {
  snug__graph *g = NULL;
  snug__step step;
  SNUG_TRY(snug__step_build(m, SNUG__STEP_TRAIN_MICRO_BATCH, 1, false, &g, &step));
  snug_status s = check_nodes(m, g, allow_batch_statistics);
  snug__graph_destroy(g);
  return s;
}

int64_t snug__micro_batches_place_sums(const snug_model *m, int64_t *at) {
  const snug__training *t = m->training;
  int64_t end = 0;
  for (size_t i = 0; i < t->n_trained; i++) {
    snug__type type = snug__variable_stored(snug__variable_at(&m->variables, t->trained[i]));
    if (at) {
      at[i] = end;
    }
    end += t->summed[i] ? snug__round_up(snug__type_bytes(&type), SNUG__BLOCK_ALIGN) : 0;
  }
  return end;
}
