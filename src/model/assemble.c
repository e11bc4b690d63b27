/* Building a model: the public calls record what was asked and emit it into the prototype graph. */
#include <stdio.h>
#include <string.h>

#include "model/model.h"

/* Remember the first failure; what a building call gives back when it failed. */
static snug_tensor broken(snug_model *m, snug_status s) {
  char message[SNUG__MESSAGE_BYTES];
  if (!m->status) {
    memcpy(message, m->ctx->message, sizeof message);
    m->status = s;
    if (snug__arena_text(&m->arena, message, &m->failure)) {
      memcpy(m->ctx->message, message, sizeof message); /* s is what went wrong, not this */
    }
  }
  return SNUG_NO_TENSOR;
}

static snug_status push_tensor(snug_model *m, snug__id proto, snug__id mask, const char *name,
                               snug_tensor *out) {
  snug__model_tensor t = {*snug__type_at(m->proto.g, proto), proto, mask, name};
  SNUG_TRY(snug__vec_push(&m->tensors, &t, 1));
  *out = (snug_tensor)m->tensors.n - 1;
  return SNUG_OK;
}

/* Names of inputs and layers are one space, as in Keras; an input stands in it without a layer. */
static snug_status take_name(snug_model *m, const char *where, const char *name, uint32_t layer,
                             const char **out) {
  if (!name[0] || strlen(name) >= SNUG__NAME_BYTES) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "%s: a name has 1 to %d characters, not %zu", where,
                      SNUG__NAME_BYTES - 1, strlen(name));
  }
  if (snug__map_find(&m->names, name) != SNUG__MAP_NONE) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "%s: there is a layer or input named '%s' already",
                      where, name);
  }
  SNUG_TRY(snug__arena_text(&m->arena, name, out));
  return snug__map_set(&m->names, *out, layer);
}

/* After the weights were given their place, or the model was compiled, it stays as it is. */
static snug_status check_open(snug_model *m) {
  if (snug__place_is_set(m->weights) || m->training) {
    return snug__fail(m->ctx, SNUG_E_STATE,
                      "the model is in use (compiled, or a weight was read or set): build all of "
                      "it before that");
  }
  return SNUG_OK;
}

/* ---- inputs ---- */

static snug_status check_input(snug_model *m, const char *name, snug_dtype dtype,
                               const int64_t *shape, int32_t rank) {
  if (!name || (!shape && rank) || rank < 0 || rank >= SNUG_MAX_RANK) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "input %s: needs a name and a shape of 0 to %d axes (without the batch)",
                      name ? name : "", SNUG_MAX_RANK - 1);
  }
  if (dtype <= SNUG_NO_DTYPE || dtype >= SNUG_DTYPE_COUNT) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "input %s: %d is not a dtype", name, (int)dtype);
  }
  if (snug__dtype_is_real(dtype) && dtype != m->real) {
    return snug__fail(m->ctx, SNUG_E_DTYPE,
                      "input %s: is %s and the model computes in %s: make it %s (arrays of other "
                      "dtypes are converted when they are fed)",
                      name, snug_dtype_text(dtype), snug_dtype_text(m->real),
                      snug_dtype_text(m->real));
  }
  for (int32_t i = 0; i < rank; i++) {
    if (shape[i] < 1) {
      return snug__fail(m->ctx, SNUG_E_SHAPE,
                        "input %s: axis %d has size %lld; it must be 1 or more", name, i,
                        (long long)shape[i]);
    }
  }
  return SNUG_OK;
}

static snug_status add_input(snug_model *m, const char *name, snug_dtype dtype,
                             const int64_t *shape, int32_t rank, snug_tensor *out) {
  snug__model_input input = {0};
  snug__id proto = SNUG_NONE;
  int64_t dim[SNUG_MAX_RANK] = {1};
  SNUG_TRY(check_open(m));
  SNUG_TRY(check_input(m, name, dtype, shape, rank));
  for (int32_t i = 0; i < rank; i++) {
    dim[i + 1] = shape[i];
  }
  SNUG_TRY(take_name(m, "input", name, SNUG__NO_LAYER, &input.name));
  SNUG_TRY(snug__graph_layer(m->proto.g, name, NULL));
  SNUG_TRY(snug__graph_input(m->proto.g, name, snug__type_of(dtype, rank + 1, dim), &proto));
  SNUG_TRY(push_tensor(m, proto, SNUG_NONE, input.name, &input.tensor));
  SNUG_TRY(snug__vec_push(&m->inputs, &input, 1));
  *out = input.tensor;
  return SNUG_OK;
}

snug_tensor snug_model_input(snug_model *m, const char *name, snug_dtype dtype,
                             const int64_t *shape, int32_t rank) {
  snug_tensor out = SNUG_NO_TENSOR;
  if (!m || m->status) {
    return SNUG_NO_TENSOR;
  }
  snug_status s = add_input(m, name, dtype, shape, rank, &out);
  return s ? broken(m, s) : out;
}

/* ---- layers ---- */

/* The name of a class, with _1, _2, ... when taken, as Keras names layers.  The counters keep this
 * quick in models of thousands of layers. */
static snug_status default_name(snug_model *m, const char *class_name, char out[SNUG__NAME_BYTES]) {
  char base[SNUG__NAME_BYTES];
  const char *key = NULL;
  snug__layer_snake_case(class_name, base);
  uint32_t known = snug__map_find(&m->counters, base);
  uint32_t k = known == SNUG__MAP_NONE ? 0 : known;
  memcpy(out, base, sizeof base);
  for (; k > 0 || snug__map_find(&m->names, out) != SNUG__MAP_NONE; k++) {
    snprintf(out, SNUG__NAME_BYTES, "%.48s_%u", base, k ? k : 1);
    if (k > 0 && snug__map_find(&m->names, out) == SNUG__MAP_NONE) {
      break;
    }
  }
  SNUG_TRY(snug__arena_text(&m->arena, base, &key));
  return snug__map_set(&m->counters, key, k + 1);
}

static snug_status fail_class(snug_model *m, const char *name) {
  char like[512];
  snug__layer_classes_like(name, like, sizeof like);
  return snug__fail(m->ctx, SNUG_E_UNSUPPORTED, "there is no layer class '%s'%s%s", name,
                    like[0] ? "; with that letter there are: " : "", like);
}

/* Set the configuration of a layer.  Lists of any length stay in the text, of which the model then
 * keeps a copy. */
static snug_status read_config(snug_model *m, const char *where, const snug__layer_class *class_,
                               const char *text, void *config) {
  bool stays = false;
  for (const snug__field *f = class_->fields; f->name; f++) {
    stays = stays || f->kind == SNUG__FIELD_NUMBERS;
  }
  if (stays && text) {
    SNUG_TRY(snug__arena_text(&m->arena, text, &text));
  }
  return snug__fields_parse(m->ctx, where, class_->fields, text, config);
}

static snug_status new_layer(snug_model *m, const char *class_name, const char *config,
                             uint32_t *index) {
  char where[2 * SNUG__NAME_BYTES];
  char name[SNUG__NAME_BYTES];
  const snug__layer_class *class_ = class_name ? snug__layer_class_find(class_name) : NULL;
  SNUG_TRY(check_open(m));
  if (!class_) {
    return fail_class(m, class_name ? class_name : "");
  }
  snug__layer layer = {.class_ = class_, .index = (uint32_t)m->layers.n};
  snprintf(where, sizeof where, "%s (layer %zu)", class_name, m->layers.n);
  SNUG_TRY(snug__arena_take(&m->arena, class_->config_bytes, &layer.config));
  SNUG_TRY(read_config(m, where, class_, config, layer.config));
  memcpy(name, ((const snug__layer_common *)layer.config)->name, sizeof name);
  if (!name[0]) {
    SNUG_TRY(default_name(m, class_name, name));
  }
  SNUG_TRY(take_name(m, where, name, layer.index, &layer.name));
  SNUG_TRY(snug__vec_push(&m->layers, &layer, 1));
  *index = layer.index;
  return SNUG_OK;
}

static snug_status check_tensors(snug_model *m, const char *who, const snug_tensor *in, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    if (!in || in[i] < 0 || (size_t)in[i] >= m->tensors.n) {
      return snug__fail(m->ctx, SNUG_E_ARGUMENT, "%s: tensor %d is not one of this model", who, i);
    }
  }
  return SNUG_OK;
}

static snug_status check_call(snug_model *m, const snug__layer *layer, const snug_tensor *in,
                              int32_t n) {
  const snug__layer_class *class_ = layer->class_;
  if (n < class_->min_in || n > class_->max_in) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "%s (%s) takes %d to %d inputs, not %d", layer->name,
                      class_->name, class_->min_in, class_->max_in, n);
  }
  return check_tensors(m, layer->name, in, n);
}

static snug_status call_layer(snug_model *m, uint32_t index, const snug_tensor *in, int32_t n,
                              snug_tensor *out) {
  const snug__layer *layer = &SNUG_VEC(&m->layers, snug__layer, index);
  snug__model_call call = {.layer = index, .n_in = n};
  snug__id values[SNUG__CALL_INPUTS];
  snug__id masks[SNUG__CALL_INPUTS];
  snug__layer_call c = {.b = &m->proto,
                        .layer = layer,
                        .in = values,
                        .masks = masks,
                        .n_in = n,
                        .index = (uint32_t)m->calls.n};
  SNUG_TRY(check_call(m, layer, in, n));
  SNUG_TRY(snug__arena_take(&m->arena, (size_t)n * sizeof *call.in, (void **)&call.in));
  for (int32_t i = 0; i < n; i++) {
    call.in[i] = in[i];
    values[i] = SNUG_VEC(&m->tensors, snug__model_tensor, in[i]).proto;
    masks[i] = SNUG_VEC(&m->tensors, snug__model_tensor, in[i]).mask;
  }
  SNUG_TRY(snug__layer_emit(&c));
  SNUG_TRY(push_tensor(m, c.out, c.mask, layer->name, &call.out));
  SNUG_TRY(snug__vec_push(&m->calls, &call, 1));
  *out = call.out;
  return SNUG_OK;
}

snug_tensor snug_model_layer(snug_model *m, const char *class_name, const char *config,
                             const snug_tensor *in, int32_t n) {
  uint32_t index = 0;
  snug_tensor out = SNUG_NO_TENSOR;
  if (!m || m->status) {
    return SNUG_NO_TENSOR;
  }
  snug_status s = new_layer(m, class_name, config, &index);
  s = s ? s : call_layer(m, index, in, n, &out);
  return s ? broken(m, s) : out;
}

static snug_status again(snug_model *m, const char *layer_name, const snug_tensor *in, int32_t n,
                         snug_tensor *out) {
  const snug__layer *layer = snug__model_find_layer(m, layer_name);
  SNUG_TRY(check_open(m));
  if (!layer) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "there is no layer named '%s' to call again",
                      layer_name ? layer_name : "");
  }
  return call_layer(m, layer->index, in, n, out);
}

snug_tensor snug_model_again(snug_model *m, const char *layer_name, const snug_tensor *in,
                             int32_t n) {
  snug_tensor out = SNUG_NO_TENSOR;
  if (!m || m->status) {
    return SNUG_NO_TENSOR;
  }
  snug_status s = again(m, layer_name, in, n, &out);
  return s ? broken(m, s) : out;
}

snug_tensor snug_model_add(snug_model *m, const char *class_name, const char *config) {
  if (!m || m->status) {
    return SNUG_NO_TENSOR;
  }
  if (!m->tensors.n) {
    return broken(m, snug__fail(m->ctx, SNUG_E_STATE, "%s: add an input first",
                                class_name ? class_name : "layer"));
  }
  snug_tensor last = (snug_tensor)m->tensors.n - 1;
  return snug_model_layer(m, class_name, config, &last, 1);
}

/* ---- outputs ---- */

/* Mark every tensor that the outputs need, from the last call backwards; names an input that nobody
 * needs. */
static snug_status check_inputs_needed(snug_model *m, const snug_tensor *out, int32_t n,
                                       bool *needed) {
  for (int32_t i = 0; i < n; i++) {
    needed[out[i]] = true;
  }
  for (size_t c = m->calls.n; c-- > 0;) {
    const snug__model_call *call = &SNUG_VEC(&m->calls, snug__model_call, c);
    for (int32_t i = 0; needed[call->out] && i < call->n_in; i++) {
      needed[call->in[i]] = true;
    }
  }
  for (size_t i = 0; i < m->inputs.n; i++) {
    const snug__model_input *input = &SNUG_VEC(&m->inputs, snug__model_input, i);
    if (!needed[input->tensor]) {
      return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                        "input '%s' is not used by any output of the model", input->name);
    }
  }
  return SNUG_OK;
}

static void mark_calls(snug_model *m, const bool *needed) {
  for (size_t c = 0; c < m->calls.n; c++) {
    snug__model_call *call = &SNUG_VEC(&m->calls, snug__model_call, c);
    call->needed = needed[call->out];
  }
}

static snug_status set_outputs(snug_model *m, const snug_tensor *out, int32_t n) {
  bool *needed = NULL;
  if (n < 1 || (size_t)n > m->tensors.n) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "a model needs at least one output, and of %zu tensors it cannot have %d",
                      m->tensors.n, n);
  }
  SNUG_TRY(check_tensors(m, "outputs", out, n));
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, m->tensors.n, &needed));
  snug_status s = check_inputs_needed(m, out, n, needed);
  s = s ? s : snug__vec_reserve(&m->outputs, (size_t)n);
  if (!s) { /* nothing can fail from here on */
    mark_calls(m, needed);
    m->outputs.n = 0;
    s = snug__vec_push(&m->outputs, out, (size_t)n);
  }
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, needed, m->tensors.n);
  return s;
}

snug_status snug_model_outputs(snug_model *m, const snug_tensor *out, int32_t n) {
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(snug__model_check(m));
  if (m->training) {
    return snug__fail(m->ctx, SNUG_E_STATE,
                      "the model is compiled: its outputs have losses and stay; name them before");
  }
  return set_outputs(m, out, n);
}

snug_status snug__model_finish(snug_model *m) {
  snug_tensor last = (snug_tensor)m->tensors.n - 1;
  SNUG_TRY(snug__model_check(m));
  if (m->outputs.n) {
    return SNUG_OK;
  }
  if (!m->tensors.n) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "the model '%s' is empty: add an input and layers first", m->name);
  }
  return set_outputs(m, &last, 1);
}
