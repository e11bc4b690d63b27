/* config.json becomes a model: read the containers, add the inputs, call the outermost, name the
 * outputs, note the places of the weights. */
#include "keras/config.h"

#include <stdio.h>
#include <string.h>

#include "keras/config_parts.h"

/* Calls that a config may ask for.  Nested models that call each other twice double them with every
 * level, so they are bounded by what a config of this length can mean. */
#define MOST_CALLS(bytes) (16384 + (bytes) / 16)
#define MOST_TENSORS ((size_t)1 << 20)

static const snug_load_options no_options = SNUG_INIT(snug_load_options);

static snug_status check_root(snug__config *k, const snug__json *root) {
  if (!snug__json_text(snug__json_get(root, "class_name")) ||
      snug__json_is_null(snug__json_get(root, "config"))) {
    return snug__fail(k->ctx, SNUG_E_FORMAT,
                      "%s: is not the config of a model: \"class_name\" and \"config\" are missing",
                      k->file);
  }
  return SNUG_OK;
}

static snug_status create_model(snug__config *k, const snug__config_scope *scope) {
  snug_model_options options = SNUG_INIT(snug_model_options);
  options.name = scope->name;
  options.dtype = k->dtype;
  options.seed = k->options->seed;
  return snug_model_create(k->ctx, &options, &k->m);
}

/* What Keras calls an output: the key of its dict, or the layer that makes it. */
static void name_outputs(snug__config *k, const snug__config_scope *scope, const snug__vec *out) {
  for (uint32_t i = 0; i < scope->n_outputs; i++) {
    const snug__config_leaf *leaf = &scope->outputs[i];
    const char *name = leaf->key ? leaf->key : scope->items[scope->nodes[leaf->node].item].name;
    snug_tensor tensor = SNUG_VEC(out, snug_tensor, i);
    snug__model_tensor *t = &SNUG_VEC(&k->m->tensors, snug__model_tensor, tensor);
    if (strcmp(t->name, name) != 0) {
      t->name = name;
    }
  }
}

/* The texts of the config go with it; those that the model keeps are copied. */
static snug_status keep_names(snug__config *k, const snug__vec *out) {
  for (size_t i = 0; i < out->n; i++) {
    snug_tensor tensor = SNUG_VEC(out, snug_tensor, i);
    snug__model_tensor *t = &SNUG_VEC(&k->m->tensors, snug__model_tensor, tensor);
    SNUG_TRY(snug__arena_text(&k->m->arena, t->name, &t->name));
  }
  return SNUG_OK;
}

static snug_status set_outputs(snug__config *k, const snug__config_scope *scope,
                               const snug__vec *out) {
  snug_status s = snug_model_outputs(k->m, out->data, (int32_t)out->n);
  if (s) {
    return snug__fail_within(k->ctx, s, "%s", k->file);
  }
  name_outputs(k, scope, out);
  return keep_names(k, out);
}

/* As Keras: the flag of a Functional model says that nothing in it is trained. */
static snug_status freeze(snug__config *k, const snug__json *root) {
  const snug__json *trainable = snug__json_get(snug__json_get(root, "config"), "trainable");
  const char *class_name = snug__json_text(snug__json_get(root, "class_name"));
  bool frozen = snug__json_is_bool(trainable) && !snug__json_is_true(trainable);
  return frozen && strcmp(class_name, "Sequential") != 0
             ? snug_model_set_trainable(k->m, "*", false)
             : SNUG_OK;
}

/* A class that is not known is the reason that counts: it is told instead of sizes, masks and
 * arguments, which can be mended and would lead to it. */
static snug_status name_unknown(snug__config *k, snug_status s) {
  const snug__layer_class *class_ = NULL;
  bool may_hide = s == SNUG_E_SHAPE || s == SNUG_E_UNSUPPORTED;
  for (size_t i = 0; may_hide && i < k->scopes.n; i++) {
    const snug__config_scope *scope = SNUG_VEC(&k->scopes, snug__config_scope *, i);
    for (uint32_t n = 0; n < scope->n_items; n++) {
      const snug__config_item *item = &scope->items[n];
      if (item->kind == SNUG__CONFIG_LAYER) {
        SNUG_TRY(snug__config_class(k, item, &class_));
      }
    }
  }
  return s;
}

static snug_status build(snug__config *k, const snug__json *root, const char *config, size_t bytes,
                         const char *version) {
  snug__config_scope *scope = NULL;
  snug__vec in, out;
  SNUG_TRY(check_root(k, root));
  SNUG_TRY(snug__config_read(k, root, "", 0, &scope));
  SNUG_TRY(snug__config_read_dtypes(k, scope));
  SNUG_TRY(create_model(k, scope));
  SNUG_TRY(snug__keras_create(k->m, config, bytes, version));
  snug__vec_init(&in, k->ctx, SNUG__MEM_SCRATCH, sizeof(snug_tensor), MOST_TENSORS);
  snug__vec_init(&out, k->ctx, SNUG__MEM_SCRATCH, sizeof(snug_tensor), MOST_TENSORS);
  snug_status s = snug__config_add_inputs(k, root, scope, &in);
  s = s ? s : snug__config_call(k, scope, in.data, in.n, &out);
  s = s ? s : set_outputs(k, scope, &out);
  s = s ? s : snug__config_place(k, scope);
  s = s ? s : freeze(k, root);
  s = s ? name_unknown(k, s) : s;
  snug__vec_release(&out);
  snug__vec_release(&in);
  return s;
}

snug_status snug__keras_build(snug_ctx *ctx, const char *file, const char *config, size_t bytes,
                              const char *version, const snug_load_options *options,
                              snug_model **out) {
  snug__config k = {.ctx = ctx,
                    .file = file,
                    .options = options ? options : &no_options,
                    .most_calls = MOST_CALLS(bytes)};
  snug__json *root = NULL;
  *out = NULL;
  SNUG_TRY(snug__json_read(ctx, file, config, bytes, &root));
  snug__arena_init(&k.arena, ctx, SNUG__MEM_SCRATCH);
  snug__vec_init(&k.scopes, ctx, SNUG__MEM_SCRATCH, sizeof(snug__config_scope *), bytes);
  snug__vec_init(&k.shared_items, ctx, SNUG__MEM_SCRATCH, sizeof(snug__config_item *), bytes);
  snug__map_init(&k.shared, ctx, SNUG__MEM_SCRATCH);
  snug_status s = build(&k, root, config, bytes, version);
  snug__config_release(&k);
  snug__json_free(root);
  if (s) {
    snug_model_destroy(k.m);
    return s;
  }
  *out = k.m;
  return SNUG_OK;
}
