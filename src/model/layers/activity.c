/* Layers that hand on what they get: Identity, and ActivityRegularization, which adds to the loss.
 */
#include "model/layers/support.h"

static snug_status identity(snug__layer_call *c) {
  c->out = c->in[0];
  return SNUG_OK;
}

LAYER_CLASS_PLAIN(Identity, 1, 1, identity, .masking = SNUG__MASK_PASSES);

typedef struct activity_config {
  snug__layer_common common;
  double l1, l2;
} activity_config;

static const snug__field activity_fields[] = {SNUG__LAYER_FIELDS,
                                              SNUG_FIELD(activity_config, l1, FLOAT, "0"),
                                              SNUG_FIELD(activity_config, l2, FLOAT, "0"),
                                              {0}};

static snug_status activity(snug__layer_call *c) {
  const activity_config *k = c->config;
  if (!(k->l1 >= 0.0 && k->l2 >= 0.0)) {
    return snug__layer_refuse(c, k->l1 >= 0.0 ? "l2" : "l1", k->l1 >= 0.0 ? k->l2 : k->l1,
                              "0 or more");
  }
  c->out = c->in[0];
  return snug__layer_penalize(c, c->in[0], k->l1, k->l2);
}

LAYER_CLASS(ActivityRegularization, activity_config, activity_fields, 1, 1, activity,
            .masking = SNUG__MASK_PASSES);
