/* From Keras's names of initial values to the few kinds there are. */
#include "model/initializer.h"

#include <math.h>
#include <string.h>

/* The deviation of a normal distribution that is cut at two deviations. */
#define CUT_DEVIATION 0.87962566103423978

typedef enum fan_mode { FAN_IN, FAN_OUT, FAN_AVG } fan_mode;
typedef enum distribution { TRUNCATED_NORMAL, UNTRUNCATED_NORMAL, NORMAL, UNIFORM } distribution;

typedef struct arguments {
  double value, mean, stddev, minval, maxval, gain, scale;
  int32_t mode, distribution;
  snug_ints seed;
} arguments;

static const char *const modes[] = {"fan_in", "fan_out", "fan_avg", NULL};
static const char *const distributions[] = {"truncated_normal", "untruncated_normal", "normal",
                                            "uniform", NULL};

#define SEED SNUG_FIELD(arguments, seed, INTS, "[]")
#define FANS SNUG_FIXED("input_axes", "none", NULL), SNUG_FIXED("output_axes", "none", NULL)
static const snug__field constant[] = {SNUG_FIELD(arguments, value, FLOAT, "0"), {0}};
static const snug__field normal[] = {SNUG_FIELD(arguments, mean, FLOAT, "0"),
                                     SNUG_FIELD(arguments, stddev, FLOAT, "0.05"),
                                     SEED,
                                     {0}};
static const snug__field uniform[] = {SNUG_FIELD(arguments, minval, FLOAT, "-0.05"),
                                      SNUG_FIELD(arguments, maxval, FLOAT, "0.05"),
                                      SEED,
                                      {0}};
static const snug__field gain[] = {SNUG_FIELD(arguments, gain, FLOAT, "1"), SEED, {0}};
static const snug__field identity_gain[] = {SNUG_FIELD(arguments, gain, FLOAT, "1"), {0}};
static const snug__field scaling[] = {
    SNUG_FIELD(arguments, scale, FLOAT, "1"),
    SNUG_CHOICE(arguments, mode, modes, "fan_in"),
    SNUG_CHOICE(arguments, distribution, distributions, "truncated_normal"),
    SEED,
    FANS,
    {0}};
static const snug__field seed_only[] = {SEED, FANS, {0}};

/* In the order of `table`. */
enum {
  ZEROS,
  ONES,
  CONSTANT,
  RANDOM_NORMAL,
  RANDOM_UNIFORM,
  CUT_NORMAL,
  VARIANCE_SCALING,
  GLOROT_NORMAL,
  GLOROT_UNIFORM,
  HE_NORMAL,
  HE_UNIFORM,
  LECUN_NORMAL,
  LECUN_UNIFORM,
  ORTHOGONAL,
  IDENTITY
};

static const snug__named table[] = {[ZEROS] = {"zeros zero", NULL},
                                    [ONES] = {"ones one", NULL},
                                    [CONSTANT] = {"constant", constant},
                                    [RANDOM_NORMAL] = {"random_normal normal", normal},
                                    [RANDOM_UNIFORM] = {"random_uniform uniform", uniform},
                                    [CUT_NORMAL] = {"truncated_normal", normal},
                                    [VARIANCE_SCALING] = {"variance_scaling", scaling},
                                    [GLOROT_NORMAL] = {"glorot_normal", seed_only},
                                    [GLOROT_UNIFORM] = {"glorot_uniform", seed_only},
                                    [HE_NORMAL] = {"he_normal", seed_only},
                                    [HE_UNIFORM] = {"he_uniform", seed_only},
                                    [LECUN_NORMAL] = {"lecun_normal", seed_only},
                                    [LECUN_UNIFORM] = {"lecun_uniform", seed_only},
                                    [ORTHOGONAL] = {"orthogonal", gain},
                                    [IDENTITY] = {"identity", identity_gain}};
static const snug__named_set set = SNUG_NAMED_SET("initializer", "initializer", table);

const snug__named_set *snug__initializer_set(void) { return &set; }

/* Keras's fans: the last two axes are in and out, the others the receptive field. */
static double fan_of(const snug__type *t, fan_mode mode) {
  double receptive = 1.0;
  if (t->rank < 2) {
    return t->rank ? (double)t->dim[0] : 1.0;
  }
  for (int32_t i = 0; i < t->rank - 2; i++) {
    receptive *= (double)t->dim[i];
  }
  double in = receptive * (double)t->dim[t->rank - 2];
  double out = receptive * (double)t->dim[t->rank - 1];
  return mode == FAN_IN ? in : mode == FAN_OUT ? out : (in + out) / 2.0;
}

static snug__initializer scaled(const snug__type *t, double scale, fan_mode mode, distribution d) {
  double variance = scale / fmax(1.0, fan_of(t, mode));
  double limit = sqrt(3.0 * variance);
  switch (d) {
    case UNIFORM:
      return (snug__initializer){SNUG__INIT_UNIFORM, -limit, limit, NULL};
    case UNTRUNCATED_NORMAL:
      return (snug__initializer){SNUG__INIT_NORMAL, 0.0, sqrt(variance), NULL};
    case TRUNCATED_NORMAL:
    case NORMAL:
      break;
  }
  return (snug__initializer){SNUG__INIT_TRUNCATED_NORMAL, 0.0, sqrt(variance) / CUT_DEVIATION,
                             NULL};
}

static snug__initializer resolve(size_t which, const arguments *a, const snug__type *t) {
  switch (which) {
    case RANDOM_NORMAL:
      return (snug__initializer){SNUG__INIT_NORMAL, a->mean, a->stddev, NULL};
    case CUT_NORMAL:
      return (snug__initializer){SNUG__INIT_TRUNCATED_NORMAL, a->mean, a->stddev, NULL};
    case RANDOM_UNIFORM:
      return (snug__initializer){SNUG__INIT_UNIFORM, a->minval, a->maxval, NULL};
    case VARIANCE_SCALING:
      return scaled(t, a->scale, (fan_mode)a->mode, (distribution)a->distribution);
    case GLOROT_NORMAL:
      return scaled(t, 1.0, FAN_AVG, TRUNCATED_NORMAL);
    case GLOROT_UNIFORM:
      return scaled(t, 1.0, FAN_AVG, UNIFORM);
    case HE_NORMAL:
      return scaled(t, 2.0, FAN_IN, TRUNCATED_NORMAL);
    case HE_UNIFORM:
      return scaled(t, 2.0, FAN_IN, UNIFORM);
    case LECUN_NORMAL:
      return scaled(t, 1.0, FAN_IN, TRUNCATED_NORMAL);
    case LECUN_UNIFORM:
      return scaled(t, 1.0, FAN_IN, UNIFORM);
    case ORTHOGONAL:
      return (snug__initializer){SNUG__INIT_ORTHOGONAL, a->gain, 0.0, NULL};
    case IDENTITY:
      return (snug__initializer){SNUG__INIT_IDENTITY, a->gain, 0.0, NULL};
    default:
      break;
  }
  return (snug__initializer){SNUG__INIT_CONSTANT, which == ONES ? 1.0 : a->value, 0.0, NULL};
}

static snug_status check(snug_ctx *ctx, const char *where, size_t which, const arguments *a,
                         const snug__type *t) {
  char text[SNUG__TYPE_TEXT_BYTES];
  char own[SNUG__NAME_BYTES];
  snug__named_own(&table[which], own);
  if (which == VARIANCE_SCALING && !(a->scale > 0.0)) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "%s: variance_scaling: scale=%g; it must be more than 0", where, a->scale);
  }
  if (a->stddev < 0.0) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: %s: stddev=%g; it must be 0 or more", where, own,
                      a->stddev);
  }
  if ((which == ORTHOGONAL && t->rank < 2) || (which == IDENTITY && t->rank != 2)) {
    return snug__fail(ctx, SNUG_E_SHAPE, "%s: %s fills %s axes, but the weight is %s", where, own,
                      which == IDENTITY ? "two" : "two or more", snug__type_text(t, text));
  }
  return SNUG_OK;
}

snug_status snug__initializer_parse(snug_ctx *ctx, const char *where, const char *text,
                                    const snug__type *type, snug__initializer *out) {
  arguments a;
  size_t which = ZEROS;
  memset(&a, 0, sizeof a);
  if (!snug__named_is_none(text)) {
    SNUG_TRY(snug__named_parse(ctx, &set, where, text, &a, sizeof a, &which));
  }
  SNUG_TRY(check(ctx, where, which, &a, type));
  *out = resolve(which, &a, type);
  return SNUG_OK;
}

snug_status snug__initializer_named(snug_ctx *ctx, const char *where, const char *text,
                                    snug__named_value *out) {
  size_t which = 0;
  _Static_assert(sizeof(arguments) <= sizeof out->options, "the options fit");
  SNUG_TRY(snug__named_parse(ctx, &set, where, text, &out->options, sizeof out->options, &which));
  out->thing = &table[which];
  return SNUG_OK;
}
