/* The kinds of optimizers: names, options, slots. */
#include "model/optimizer.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "model/named.h"
#include "model/optimizer_kind.h"

#define ENTRY(key, member, kind, initial) \
  { key, SNUG__FIELD_##kind, offsetof(snug__optimizer_options, member), initial, NULL }
#define OPTION(member, kind, initial) ENTRY(#member, member, kind, initial)

/* Every optimizer's arguments begin with the rate and end with these; in between are its own. */
#define RATE(initial) OPTION(learning_rate, FLOAT, initial)
#define DECAY(initial) OPTION(weight_decay, FLOAT, initial)
#define COMMON                                                                              \
  OPTION(clipnorm, FLOAT, "0"), OPTION(clipvalue, FLOAT, "0"),                              \
      OPTION(global_clipnorm, FLOAT, "0"), OPTION(use_ema, BOOL, "false"),                  \
      OPTION(ema_momentum, FLOAT, "0.99"), OPTION(ema_overwrite_frequency, INT, "0"),       \
      OPTION(loss_scale_factor, FLOAT, "0"), OPTION(gradient_accumulation_steps, INT, "0"), \
      OPTION(name, TEXT, "\"\"")
#define REST \
  COMMON, { 0 }
#define BETAS(second) OPTION(beta_1, FLOAT, "0.9"), OPTION(beta_2, FLOAT, second)
#define MOST_NS_STEPS 100 /* nodes of every weight: a bound to what a file can ask for */
#define EPSILON OPTION(epsilon, FLOAT, "1e-7")

static const snug__field sgd_fields[] = {RATE("0.01"), OPTION(momentum, FLOAT, "0"),
                                         OPTION(nesterov, BOOL, "false"), DECAY("0"), REST};
static const snug__field adam_fields[] = {
    RATE("0.001"), BETAS("0.999"), EPSILON, OPTION(amsgrad, BOOL, "false"), DECAY("0"), REST};
static const snug__field adamw_fields[] = {
    RATE("0.001"), DECAY("0.004"), BETAS("0.999"), EPSILON, OPTION(amsgrad, BOOL, "false"), REST};
static const snug__field rmsprop_fields[] = {
    RATE("0.001"), OPTION(rho, FLOAT, "0.9"),       OPTION(momentum, FLOAT, "0"),
    EPSILON,       OPTION(centered, BOOL, "false"), DECAY("0"),
    REST};
static const snug__field adagrad_fields[] = {
    RATE("0.001"), OPTION(initial_accumulator_value, FLOAT, "0.1"), EPSILON, DECAY("0"), REST};
static const snug__field adadelta_fields[] = {RATE("0.001"), OPTION(rho, FLOAT, "0.95"), EPSILON,
                                              DECAY("0"), REST};
static const snug__field adamax_fields[] = {RATE("0.001"), BETAS("0.999"), EPSILON, DECAY("0"),
                                            REST};
static const snug__field lion_fields[] = {RATE("0.001"), BETAS("0.99"), DECAY("0"), REST};
static const snug__field ftrl_fields[] = {
    RATE("0.001"),
    OPTION(learning_rate_power, FLOAT, "-0.5"),
    OPTION(initial_accumulator_value, FLOAT, "0.1"),
    ENTRY("l1_regularization_strength", l1, FLOAT, "0"),
    ENTRY("l2_regularization_strength", l2, FLOAT, "0"),
    ENTRY("l2_shrinkage_regularization_strength", l2_shrinkage, FLOAT, "0"),
    OPTION(beta, FLOAT, "0"),
    DECAY("0"),
    REST};
/* Of its two rates and momentums, those of Adam's share are the usual ones here. */
static const snug__field muon_fields[] = {RATE("0.001"),
                                          ENTRY("adam_beta_1", beta_1, FLOAT, "0.9"),
                                          ENTRY("adam_beta_2", beta_2, FLOAT, "0.999"),
                                          OPTION(adam_weight_decay, FLOAT, "0.004"),
                                          EPSILON,
                                          DECAY("0.004"),
                                          COMMON,
                                          OPTION(exclude_layers, TEXT, "\"\""),
                                          OPTION(exclude_embeddings, BOOL, "true"),
                                          OPTION(muon_a, FLOAT, "3.4445"),
                                          OPTION(muon_b, FLOAT, "-4.775"),
                                          OPTION(muon_c, FLOAT, "2.0315"),
                                          OPTION(adam_lr_ratio, FLOAT, "1"),
                                          OPTION(momentum, FLOAT, "0.95"),
                                          OPTION(ns_steps, INT, "5"),
                                          OPTION(nesterov, BOOL, "true"),
                                          OPTION(rms_rate, FLOAT, "0.2"),
                                          {0}};

static bool has_momentum(const snug__optimizer_options *o) { return o->momentum != 0.0; }
static bool has_amsgrad(const snug__optimizer_options *o) { return o->amsgrad; }
static bool is_centered(const snug__optimizer_options *o) { return o->centered; }

#define MOMENTS \
  {"momentum"}, { "velocity" }

/* What an option makes of a kind. */
static const snug__optimizer_kind sgd_momentum = {
    {"SGD", sgd_fields}, &snug__op_sgd_momentum, {{"momentum"}}};
static const snug__optimizer_kind rmsprop_centered = {
    {"RMSprop", rmsprop_fields},
    &snug__op_rmsprop_centered,
    {{"velocity"}, {"average_gradient"}, {"momentum", has_momentum}}};
static const snug__optimizer_kind muon_of_matrix = {
    {"Muon", muon_fields}, &snug__op_muon_momentum, {{"momentum"}}};

static const snug__optimizer_kind kinds[] = {
    {{"SGD", sgd_fields}, &snug__op_sgd, {{NULL}}, has_momentum, &sgd_momentum},
    {{"Adam", adam_fields}, &snug__op_adam, {MOMENTS, {"velocity_hat", has_amsgrad}}},
    {{"AdamW", adamw_fields}, &snug__op_adam, {MOMENTS, {"velocity_hat", has_amsgrad}}},
    {{"RMSprop", rmsprop_fields},
     &snug__op_rmsprop,
     {{"velocity"}, {"momentum", has_momentum}},
     is_centered,
     &rmsprop_centered},
    {{"Adagrad", adagrad_fields}, &snug__op_adagrad, {{"accumulator", NULL, true}}},
    {{"Adadelta", adadelta_fields},
     &snug__op_adadelta,
     {{"accumulated_grad"}, {"accumulated_delta_var"}}},
    {{"Adamax", adamax_fields}, &snug__op_adamax, {{"momentum"}, {"norm"}}},
    {{"Nadam", adamax_fields}, &snug__op_nadam, {MOMENTS}},
    {{"Lion", lion_fields}, &snug__op_lion, {{"momentum"}}},
    {{"Ftrl", ftrl_fields}, &snug__op_ftrl, {{"accumulator", NULL, true}, {"linear"}}},
    {{"Lamb", adamax_fields}, &snug__op_lamb, {MOMENTS}},
    {{"Muon", muon_fields,
      "exclude_layers: words that are parts of names, with commas between them; no expressions"},
     &snug__op_adam,
     {MOMENTS, {"velocity_hat", has_amsgrad}},
     NULL,
     NULL,
     &muon_of_matrix}};
static const snug__named_set set = SNUG_NAMED_SET("optimizer", NULL, kinds);

const snug__named_set *snug__optimizer_set(void) { return &set; }

static snug_status check_clipping(snug_ctx *ctx, const char *text, const snug__optimizer *out) {
  const snug__optimizer_options *o = &out->o;
  int given = (o->clipnorm != 0.0) + (o->clipvalue != 0.0) + (o->global_clipnorm != 0.0);
  if (given > 1 || o->clipnorm < 0.0 || o->clipvalue < 0.0 || o->global_clipnorm < 0.0) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "optimizer '%.100s': give at most one of clipnorm, clipvalue and "
                      "global_clipnorm, above 0",
                      text);
  }
  return SNUG_OK;
}

static snug_status check(snug_ctx *ctx, const char *text, const snug__optimizer *out) {
  const snug__optimizer_options *o = &out->o;
  if (!(o->learning_rate >= 0.0 && isfinite(o->learning_rate)) || !(o->weight_decay >= 0.0) ||
      o->loss_scale_factor < 0.0) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "optimizer '%.100s': learning_rate, weight_decay and loss_scale_factor must "
                      "be finite and not negative",
                      text);
  }
  if (!(o->momentum >= 0.0 && o->momentum <= 1.0) || o->gradient_accumulation_steps < 0 ||
      o->ema_overwrite_frequency < 0 || !(o->ema_momentum >= 0.0 && o->ema_momentum <= 1.0)) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "optimizer '%.100s': momentum and ema_momentum must lie in 0 .. 1, "
                      "gradient_accumulation_steps and ema_overwrite_frequency not below 0",
                      text);
  }
  return check_clipping(ctx, text, out);
}

static snug_status check_muon(snug_ctx *ctx, const char *text, const snug__optimizer *out) {
  const snug__optimizer_options *o = &out->o;
  if (!(o->adam_lr_ratio > 0.0 && isfinite(o->adam_lr_ratio)) || !(o->adam_weight_decay >= 0.0) ||
      !(o->rms_rate >= 0.0) || o->ns_steps < 0 || o->ns_steps > MOST_NS_STEPS) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "optimizer '%.100s': adam_lr_ratio must be above 0, adam_weight_decay and "
                      "rms_rate not below it, ns_steps in 0 .. %d",
                      text, MOST_NS_STEPS);
  }
  if (strpbrk(o->exclude_layers, ".^$*+?{}[]\\|()")) {
    return snug__fail(ctx, SNUG_E_UNSUPPORTED,
                      "optimizer '%.100s': exclude_layers=%s: expressions are not supported; give "
                      "parts of names, with commas between them",
                      text, o->exclude_layers);
  }
  return SNUG_OK;
}

snug_status snug__optimizer_parse(snug_ctx *ctx, const char *text, snug__optimizer *out) {
  char schedule[SNUG__NAMED_TEXT_BYTES];
  snug__named_call call;
  memset(out, 0, sizeof *out);
  SNUG_TRY(snug__named_read(ctx, &set, NULL, text, &call));
  snug__named_take(&call, "learning_rate", schedule);
  SNUG_TRY(snug__named_apply(ctx, &call, &out->o, sizeof out->o));
  const snug__optimizer_kind *kind = &kinds[call.index];
  out->kind = kind->is_other && kind->is_other(&out->o) ? kind->other : kind;
  if (schedule[0]) {
    SNUG_TRY(snug__schedule_parse(ctx, schedule, &out->schedule));
    out->o.learning_rate = snug__schedule_rate(&out->schedule, 0);
  }
  SNUG_TRY(check(ctx, text, out));
  return out->kind->of_matrix ? check_muon(ctx, text, out) : SNUG_OK;
}

void snug__optimizer_name(const snug__optimizer *o, char out[SNUG__NAME_BYTES]) {
  snug__named_own(&o->kind->named, out);
}

/* A schedule stands where its kind's learning rate would. */
snug_status snug__optimizer_print(const snug__optimizer *o, snug__text *out) {
  const snug__named *named = &o->kind->named;
  snug__optimizer_options options = o->o;
  if (!o->schedule.kind) {
    return snug__named_print(named, &options, out);
  }
  for (const snug__field *f = named->fields; f->name; f++) {
    const char *initial = f->initial;
    if (f->offset == offsetof(snug__optimizer_options, learning_rate) &&
        !snug__read_float(&initial, &options.learning_rate)) {
      return snug__fail(out->chars.ctx, SNUG_E_INTERNAL, "%s: no default rate", named->names);
    }
  }
  SNUG_TRY(snug__text_add(out, "%s(", named->names));
  SNUG_TRY(snug__fields_print(named->fields, &options, out));
  SNUG_TRY(snug__text_add(out, " learning_rate="));
  SNUG_TRY(snug__schedule_print(&o->schedule, out));
  return snug__text_add(out, ")");
}
