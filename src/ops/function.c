/* Functions of one value that need no file of their own: smooth ones, and those that round. */
#include "ops/function.h"

#include "ops/support.h"
#include "ops/unary.h"

/* ---- function ---- */

static const char *const choices[] = {
#define TEXT(name, value, slope) #name,
    SNUG__FUNCTION_LIST(TEXT)
#undef TEXT
        NULL};
static const snug__field fields[] = {SNUG_CHOICE(snug__function_params, kind, choices, NULL), {0}};

#define FUNCTION(name, value, slope)                               \
  UNARY_AT(name, value)                                            \
  static double name##_slope(double dy, double x, const void *p) { \
    (void)p;                                                       \
    return dy * (slope);                                           \
  }
SNUG__FUNCTION_LIST(FUNCTION)

static snug_status function_reference(const snug__call *call) {
#define AT(name, value, slope) name##_at,
  static snug__unary *const f[] = {SNUG__FUNCTION_LIST(AT)};
  const snug__function_params *p = call->sig->params;
  return snug__unary_run(call, f[p->kind], p);
}

static snug_status function_grad_reference(const snug__call *call) {
#define SLOPE(name, value, slope) name##_slope,
  static snug__unary_gradient *const f[] = {SNUG__FUNCTION_LIST(SLOPE)};
  const snug__function_params *p = call->sig->params;
  return snug__unary_gradient_run(call, f[p->kind], p);
}

UNARY_PAIR_RECORDS(function, "a function of x, by its name", in, snug__unary_cost,
                   snug__function_params, fields, snug__infer_same);

/* ---- rounding: no gradient flows ---- */

static const char *const rounding_choices[] = {
#define TEXT(name) #name,
    SNUG__ROUNDING_LIST(TEXT)
#undef TEXT
        NULL};
static const snug__field rounding_fields[] = {
    SNUG_CHOICE(snug__function_params, kind, rounding_choices, NULL), {0}};

static snug_status stop(snug__grad *g) {
  (void)g;
  return SNUG_OK;
}

#define ROUNDING(name) UNARY_AT(name, name(x))
SNUG__ROUNDING_LIST(ROUNDING)

static snug_status rounding_reference(const snug__call *call) {
#define ROUND(name) name##_at,
  static snug__unary *const f[] = {SNUG__ROUNDING_LIST(ROUND)};
  const snug__function_params *p = call->sig->params;
  return snug__unary_run(call, f[p->kind], p);
}

UNARY_RECORD(rounding, "x as a whole number", 1, .params_bytes = sizeof(snug__function_params),
             .fields = rounding_fields, .infer = snug__infer_same, .grad = stop);

/* ---- stop_gradient ---- */

UNARY_AT(stop_gradient, x)
UNARY_REFERENCE(stop_gradient)
UNARY_RECORD(stop_gradient, "x, through which no gradient flows", 1, .infer = snug__infer_same,
             .grad = stop);
