/* The losses that treat each element alone and take the mean (kl_divergence: the sum) over the last
 * axis.  A loss is two functions of a label t and a prediction y: its value and its slope in y.
 * At kinks the slopes are TensorFlow's. */
#include "ops/loss.h"

static const char *const kinds[] = {
#define SNUG__POINTWISE_TEXT(name) #name,
    SNUG__POINTWISE_LIST(SNUG__POINTWISE_TEXT)
#undef SNUG__POINTWISE_TEXT
        NULL};

static const snug__field fields[] = {
    SNUG_CHOICE(snug__pointwise_loss_params, kind, kinds, NULL),
    SNUG_FIELD(snug__pointwise_loss_params, from_logits, BOOL, "false"),
    SNUG_FIELD(snug__pointwise_loss_params, class_balancing, BOOL, "false"),
    SNUG_FIELD(snug__pointwise_loss_params, label_smoothing, FLOAT, "0"),
    SNUG_FIELD(snug__pointwise_loss_params, delta, FLOAT, "1"),
    SNUG_FIELD(snug__pointwise_loss_params, alpha, FLOAT, "0.25"),
    SNUG_FIELD(snug__pointwise_loss_params, gamma, FLOAT, "2"),
    {0}};

typedef double function(const snug__loss_rows *j, double t, double y);

#define EPSILON SNUG__KERAS_EPSILON
#define UNUSED (void)j

static double sign(double x) { return (x > 0.0) - (x < 0.0); }
static double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

static double mean_squared_error(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  return (t - y) * (t - y);
}
static double mean_squared_error_slope(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  return 2.0 * (y - t);
}

static double mean_absolute_error(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  return fabs(t - y);
}
static double mean_absolute_error_slope(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  return sign(y - t);
}

static double mean_absolute_percentage_error(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  return 100.0 * fabs((t - y) / fmax(fabs(t), EPSILON));
}
static double mean_absolute_percentage_error_slope(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  return 100.0 * sign(y - t) / fmax(fabs(t), EPSILON);
}

static double log_difference(double t, double y) {
  return log((y < EPSILON ? EPSILON : y) + 1.0) - log((t < EPSILON ? EPSILON : t) + 1.0);
}
static double mean_squared_logarithmic_error(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  double d = log_difference(t, y);
  return d * d;
}
static double mean_squared_logarithmic_error_slope(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  return y < EPSILON ? 0.0 : 2.0 * log_difference(t, y) / (y + 1.0);
}

static double delta_of(const snug__loss_rows *j) {
  return ((const snug__pointwise_loss_params *)j->params)->delta;
}
static double huber(const snug__loss_rows *j, double t, double y) {
  double e = fabs(y - t);
  double delta = delta_of(j);
  return e <= delta ? 0.5 * e * e : delta * e - 0.5 * delta * delta;
}
static double huber_slope(const snug__loss_rows *j, double t, double y) {
  double delta = delta_of(j);
  return fabs(y - t) <= delta ? y - t : delta * sign(y - t);
}

static double log_cosh(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  double e = fabs(y - t); /* even, and stable for large errors */
  return e + log1p(exp(-2.0 * e)) - 0.69314718055994531;
}
static double log_cosh_slope(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  return tanh(y - t);
}

static double unit_clip(double x) { return x < EPSILON ? EPSILON : x > 1.0 ? 1.0 : x; }
static double kl_divergence(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  return unit_clip(t) * log(unit_clip(t) / unit_clip(y));
}
static double kl_divergence_slope(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  return y < EPSILON || y > 1.0 ? 0.0 : -unit_clip(t) / y;
}

static double poisson(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  return y - t * log(y + EPSILON);
}
static double poisson_slope(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  return 1.0 - t / (y + EPSILON);
}

static double hinge(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  double m = 1.0 - t * y;
  return m < 0.0 ? 0.0 : m;
}
static double hinge_slope(const snug__loss_rows *j, double t, double y) {
  UNUSED;
  return 1.0 - t * y < 0.0 ? 0.0 : -t;
}
static double squared_hinge(const snug__loss_rows *j, double t, double y) {
  return hinge(j, t, y) * hinge(j, t, y);
}
static double squared_hinge_slope(const snug__loss_rows *j, double t, double y) {
  return 2.0 * hinge(j, t, y) * -t;
}

static bool from_logits(const snug__loss_rows *j) {
  return ((const snug__pointwise_loss_params *)j->params)->from_logits;
}
static double clipped_crossentropy(const snug__loss_rows *j, double t, double p) {
  double c = snug__clip(j->clip, p);
  return -(t * log(c) + (1.0 - t) * log(1.0 - c));
}
static double clipped_crossentropy_slope(const snug__loss_rows *j, double t, double p) {
  return snug__is_inside(j->clip, p) ? (1.0 - t) / (1.0 - p) - t / p : 0.0;
}
static double binary_crossentropy(const snug__loss_rows *j, double t, double y) {
  if (from_logits(j)) {
    return (y > 0.0 ? y : 0.0) - y * t + log1p(exp(-fabs(y)));
  }
  return clipped_crossentropy(j, t, y);
}
static double binary_crossentropy_slope(const snug__loss_rows *j, double t, double y) {
  return from_logits(j) ? sigmoid(y) - t : clipped_crossentropy_slope(j, t, y);
}

/* w (1 - p_t)^gamma times the crossentropy, p_t = t p + (1 - t)(1 - p), p not clipped there. */
static double focal_weight(const snug__pointwise_loss_params *c, double t) {
  return c->class_balancing ? t * c->alpha + (1.0 - t) * (1.0 - c->alpha) : 1.0;
}
static double binary_focal_crossentropy(const snug__loss_rows *j, double t, double y) {
  const snug__pointwise_loss_params *c = j->params;
  double p = c->from_logits ? sigmoid(y) : y;
  double p_t = t * p + (1.0 - t) * (1.0 - p);
  return focal_weight(c, t) * pow(1.0 - p_t, c->gamma) * clipped_crossentropy(j, t, p);
}
static double binary_focal_crossentropy_slope(const snug__loss_rows *j, double t, double y) {
  const snug__pointwise_loss_params *c = j->params;
  double p = c->from_logits ? sigmoid(y) : y;
  double p_t = t * p + (1.0 - t) * (1.0 - p);
  double outer = pow(1.0 - p_t, c->gamma) * clipped_crossentropy_slope(j, t, p);
  double inner =
      -c->gamma * pow(1.0 - p_t, c->gamma - 1.0) * (2.0 * t - 1.0) * clipped_crossentropy(j, t, p);
  return focal_weight(c, t) * (outer + inner) * (c->from_logits ? p * (1.0 - p) : 1.0);
}

typedef struct rule {
  function *value, *slope;
} rule;

static const rule rules[] = {
#define SNUG__POINTWISE_RULE(name) {name, name##_slope},
    SNUG__POINTWISE_LIST(SNUG__POINTWISE_RULE)
#undef SNUG__POINTWISE_RULE
};

static const snug__pointwise_loss_params *params_of(const snug__loss_rows *j) { return j->params; }

/* The label as the loss sees it. */
static double label(const snug__loss_rows *j, int64_t i) {
  double t = snug__row_label(j, i);
  double s = params_of(j)->label_smoothing;
  return j->hinge_labels ? 2.0 * t - 1.0 : t * (1.0 - s) + 0.5 * s;
}

static double scale_of(const snug__loss_rows *j) {
  return params_of(j)->kind == SNUG__POINTWISE_kl_divergence ? 1.0 : 1.0 / (double)j->width;
}

#define SNUG_REAL_FILE "ops/pointwise_loss_ref.inc"
#include "ops/real.h"

static void run(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  const rule *r = &rules[params_of(j)->kind];
  SNUG_REAL_CALL(j->y_dtype, rows, (j, r, scale_of(j), begin, end));
}

static void run_grad(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  const rule *r = &rules[params_of(j)->kind];
  SNUG_REAL_CALL(j->y_dtype, grad_rows, (j, r, scale_of(j), begin, end));
}

static bool is_hinge(int32_t kind) {
  return kind == SNUG__POINTWISE_hinge || kind == SNUG__POINTWISE_squared_hinge;
}

/* The hinges take labels that are all 0 or 1 for -1 and 1. */
static bool has_binary_labels(const snug__loss_rows *j) {
  bool binary = is_hinge(params_of(j)->kind);
  for (int64_t i = 0; binary && i < j->rows * j->width; i++) {
    double t = snug__row_label(j, i);
    binary = t == 0.0 || t == 1.0;
  }
  return binary;
}

static snug_status reference(const snug__call *call) {
  snug__loss_rows j = snug__loss_rows_of(call);
  j.hinge_labels = has_binary_labels(&j);
  snug__loss_run(&j, run);
  return SNUG_OK;
}

static snug_status grad_reference(const snug__call *call) {
  snug__loss_rows j = snug__loss_grad_rows_of(call);
  j.hinge_labels = has_binary_labels(&j);
  snug__loss_run(&j, run_grad);
  return SNUG_OK;
}

static snug_status infer(snug__infer *q) {
  const snug__pointwise_loss_params *p = q->params;
  if (!(p->label_smoothing >= 0.0 && p->label_smoothing <= 1.0) || !(p->delta > 0.0)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT,
                      "%s: label_smoothing=%g must lie in 0 .. 1, delta=%g above 0", q->where,
                      p->label_smoothing, p->delta);
  }
  return snug__infer_dense_loss(q);
}

static snug_status grad(snug__grad *g) {
  return snug__emit_loss_grad(g, &snug__op_pointwise_loss_grad);
}

static const char *whole_batch(const snug__signature *sig) {
  const snug__pointwise_loss_params *p = sig->params;
  return is_hinge(p->kind) ? "whether a hinge's labels are 0 and 1 or -1 and 1 shows in all of them"
                           : NULL;
}

const snug__op snug__op_pointwise_loss = {
    .name = "pointwise_loss",
    .doc = "a loss of each element of (y_true, y_pred), its mean over the last axis",
    .params_bytes = sizeof(snug__pointwise_loss_params),
    .fields = fields,
    SNUG__LOSS_RECORD,
    .max_out = 1,
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .whole_batch = whole_batch};

const snug__op snug__op_pointwise_loss_grad = {.name = "pointwise_loss_grad",
                                               .doc = "gradient of pointwise_loss to y_pred",
                                               .params_bytes = sizeof(snug__pointwise_loss_params),
                                               .fields = fields,
                                               SNUG__LOSS_GRAD_RECORD,
                                               .infer = snug__infer_dense_loss_grad,
                                               .reference = grad_reference};
