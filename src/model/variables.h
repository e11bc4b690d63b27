/* The variables of a model: weights, and the state that training adds (optimizer slots, metrics,
 * counters).
 *
 * A variable is known by its index in every graph made for the model: the training program, its
 * partial last batch, validation and prediction all read and write the same bytes.  The table says
 * what each is; the bytes lie in two blocks, one for the weights and one for the rest, which are
 * made by the owner of the table (see train/). */
#ifndef SNUG_MODEL_VARIABLES_H
#define SNUG_MODEL_VARIABLES_H

#include "base/arena.h"
#include "base/fields.h"
#include "base/map.h"
#include "base/vec.h"
#include "device/place.h"
#include "graph/graph.h"

/* How a variable starts.  The names are Keras's. */
typedef enum snug__initializer_kind {
  SNUG__INIT_CONSTANT,         /* a */
  SNUG__INIT_UNIFORM,          /* a .. b */
  SNUG__INIT_NORMAL,           /* mean a, deviation b */
  SNUG__INIT_TRUNCATED_NORMAL, /* mean a, deviation b, cut at two deviations */
  SNUG__INIT_ORTHOGONAL,       /* gain a */
  SNUG__INIT_IDENTITY,         /* gain a */
  SNUG__INIT_VALUES            /* `values`, one double per element, in the table's arena */
} snug__initializer_kind;

typedef struct snug__initializer {
  snug__initializer_kind kind;
  double a, b;
  const double *values;
} snug__initializer;

/* λ1 Σ|w| + λ2 Σw² added to the loss. */
typedef struct snug__regularizer {
  double l1, l2;
} snug__regularizer;

typedef enum snug__constraint_kind {
  SNUG__CONSTRAINT_NONE,
  SNUG__CONSTRAINT_MAX_NORM,
  SNUG__CONSTRAINT_NON_NEG,
  SNUG__CONSTRAINT_UNIT_NORM,
  SNUG__CONSTRAINT_MIN_MAX_NORM
} snug__constraint_kind;

typedef struct snug__constraint {
  snug__constraint_kind kind;
  double min_value, max_value, rate;
  snug_ints axes; /* the axes over which a norm is taken */
} snug__constraint;

/* Where an optimizer slot lives that has no memory of its own: in a file, and while it is used in
 * one of two windows, which it shares with others. */
typedef struct snug__home {
  bool is_file;
  int32_t window;
  size_t at;      /* in the window */
  int64_t offset; /* in the file, a multiple of SNUG__STORE_ALIGN */
  struct snug__store *store;
} snug__home;

typedef struct snug__variable {
  const char *name;    /* "conv1/kernel": unique in the model */
  const char *layer;   /* "conv1" */
  snug__type type;     /* plain, as users see it */
  snug__layout layout; /* how its bytes lie */
  bool settled;        /* its layout is decided: programs keep to it */
  snug__kind kind;     /* SNUG__WEIGHT or SNUG__STATE */
  snug__class class_;  /* weights, optimizer */
  bool trainable;      /* weights: whether the optimizer updates it */
  snug__initializer initial;
  snug__regularizer regularizer;
  snug__constraint constraint;
  snug__place place; /* of its bytes, once its block was made; of one in a file, the window */
  snug__home home;
} snug__variable;

typedef struct snug__variables {
  snug_ctx *ctx;
  snug__arena arena;
  snug__vec list;  /* snug__variable */
  snug__map names; /* index of each */
  char *staging;   /* see variable_io.c */
  int64_t staging_bytes;
} snug__variables;

void snug__variables_init(snug__variables *v, snug_ctx *ctx);
void snug__variables_release(snug__variables *v);

/* Add a variable; the names are copied.  Fails: E_ARGUMENT if the name is taken, E_SHAPE, E_MEMORY.
 */
snug_status snug__variables_add(snug__variables *v, const snug__variable *variable,
                                snug__id *out) SNUG_NODISCARD;

/* The variable of a name, or SNUG_NONE. */
snug__id snug__variables_find(const snug__variables *v, const char *name);

/* Forget the variables from n on. */
void snug__variables_cut(snug__variables *v, size_t n);

/* Put back n entries that snug__variables_cut removed from the end.  Cannot fail: there was room.
 */
void snug__variables_restore(snug__variables *v, const snug__variable *entries, size_t n);

/* Give every variable of a kind its place in a block; returns the bytes the block needs (block may
 * be NULL to ask), SIZE_MAX if they cannot be counted. */
size_t snug__variables_place(const snug__variables *v, snug__kind kind, snug__place block);

/* ---- reading and writing: between steps (variable_io.c) ---- */

/* Read the stored bytes of a variable, from wherever they lie: *bytes is memory of the host, which
 * has them until the next call for another variable.  Fails: E_IO. */
snug_status snug__variable_read(const snug__variables *v, const snug__variable *variable,
                                void **bytes) SNUG_NODISCARD;

/* Write the stored bytes of a variable, which were put into that memory.  Fails: E_IO. */
void *snug__variable_host(const snug__variables *v, const snug__variable *variable);
snug_status snug__variable_write(const snug__variables *v,
                                 const snug__variable *variable) SNUG_NODISCARD;

/* Give one the content of another of the same type, in its own layout.  Neither is in a file.
 * Fails: E_MEMORY, E_LIMIT. */
snug_status snug__variable_copy(const snug__variables *v, const snug__variable *to,
                                const snug__variable *from) SNUG_NODISCARD;

/* Set all its bytes to zero; not for one in a file. */
void snug__variable_clear(const snug__variables *v, const snug__variable *variable);

/* Take the staging memory that this needs for the variables as they are stored now, and what that
 * takes from the account; 0 where the memory of the device is the host's.  Fails: E_MEMORY,
 * E_LIMIT.
 */
snug_status snug__variables_stage(snug__variables *v) SNUG_NODISCARD;
int64_t snug__variables_stage_cost(const snug__variables *v);

/* The type of its bytes as they lie. */
static inline snug__type snug__variable_stored(const snug__variable *v) {
  return snug__type_in(v->type, v->layout);
}

/* Its initial value is what new memory holds. */
static inline bool snug__variable_starts_at_zero(const snug__variable *v) {
  return v->initial.kind == SNUG__INIT_CONSTANT && v->initial.a == 0.0;
}

/* Fill a placed variable with its initial value. */
snug_status snug__variables_reset(const snug__variables *v, snug__id id,
                                  uint64_t seed) SNUG_NODISCARD;

static inline snug__variable *snug__variable_at(const snug__variables *v, snug__id id) {
  return &SNUG_VEC(&v->list, snug__variable, id);
}

#endif
