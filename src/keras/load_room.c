#include "keras/load_room.h"

#include <stdio.h>

#include "base/number.h"
#include "train/training.h"

#define MIB ((uint64_t)1 << 20)

/* What loading takes for itself while it reads. */
#define LOAD_BYTES MIB

/* "x.keras: 313 MiB are needed at the least to load it, ...: ...".  `also`: another way out, or "".
 * A line is not repeated: what is small is loaded under any, so the bound may be above it. */
static snug_status fail_room(snug_ctx *ctx, const char *path, uint64_t needed, const char *what,
                             const char *also) {
  char least[SNUG__NUMBER_BYTES];
  char may[SNUG__NUMBER_BYTES];
  char way_out[192];
  const snug__gate *gate = &ctx->account.gate;
  if (gate->is_line) {
    snprintf(
        way_out, sizeof way_out,
        "a line of %lluMiB or more is needed (memory of snug_load_options), and to train it more",
        (unsigned long long)((needed + 2 * MIB - 1) / MIB));
  } else {
    snprintf(way_out, sizeof way_out,
             "the process may hold %s (%llu), and the container or the machine must leave it more",
             snug__print_bytes(gate->most, may), (unsigned long long)gate->most);
  }
  return snug__fail(
      ctx, SNUG_E_LIMIT, "%s: %s (%llu bytes) are needed at the least to load it, %s; %s%s", path,
      snug__print_bytes(needed, least), (unsigned long long)needed, what, way_out, also);
}

/* With what was unpacked to files that lie in memory. */
static uint64_t held(const snug_ctx *ctx) { return snug__gate_held() + ctx->account.gate.beside; }

static bool reads_state(const snug_load_options *options) {
  return !options || !(options->no_compile || options->no_weights);
}

snug_status snug__load_fail_early(const snug__archive *a, snug_ctx *ctx, const char *path,
                                  const snug_load_options *options, uint64_t before) {
  char text[96] = "without its weights";
  char weights[SNUG__NUMBER_BYTES];
  bool reads_all = reads_state(options) && snug__archive_has(a, SNUG__KERAS_WEIGHTS);
  uint64_t bytes = reads_all ? (uint64_t)snug__archive_bytes(a, SNUG__KERAS_WEIGHTS) : 0;
  if (reads_all) {
    snprintf(text, sizeof text, "%s of them for its weights and its optimizer's state",
             snug__print_bytes(bytes, weights));
  }
  return fail_room(ctx, path, before + bytes, text, "");
}

/* What will be taken where it is not cut from memory that was preallocated. */
static uint64_t to_take(const snug_ctx *ctx, uint64_t bytes) {
  return snug__prealloc_fits(&ctx->prealloc, (size_t)bytes) ? 0 : bytes;
}

/* The largest of the variables that lie otherwise in memory than in files: it is read beside. */
static uint64_t staging_bytes(const snug_model *m, bool with_state) {
  uint64_t most = 0;
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    const snug__variable *v = snug__variable_at(&m->variables, i);
    bool is_read = v->kind == SNUG__WEIGHT || with_state;
    uint64_t bytes = (uint64_t)snug__type_bytes(&v->type);
    most = is_read && v->layout != SNUG__LAYOUT_PLAIN && bytes > most ? bytes : most;
  }
  return most;
}

/* Whether there is room for weights, state, and what is read beside. */
static snug_status check_parts(const snug_model *m, const char *path, bool with_state) {
  char text[128];
  char of_weights[SNUG__NUMBER_BYTES];
  char of_state[SNUG__NUMBER_BYTES];
  uint64_t weights = snug__variables_place(&m->variables, SNUG__WEIGHT, SNUG__NOWHERE);
  uint64_t state = with_state ? (uint64_t)snug__training_cost(m) : 0;
  uint64_t bytes = to_take(m->ctx, weights) + to_take(m->ctx, state) + staging_bytes(m, with_state);
  uint64_t room = snug__gate_room(&m->ctx->account.gate);
  if (bytes <= room) {
    return SNUG_OK;
  }
  bool without_state = state && to_take(m->ctx, weights) + staging_bytes(m, false) <= room;
  snprintf(text, sizeof text, "%s of them for its weights%s%s%s",
           snug__print_bytes(weights, of_weights), state ? " and " : "",
           state ? snug__print_bytes(state, of_state) : "",
           state ? " for its optimizer's state" : "");
  return fail_room(
      m->ctx, path, held(m->ctx) + LOAD_BYTES + bytes, text,
      without_state ? "; less is needed without that state (no_compile of snug_load_options)" : "");
}

snug_status snug__load_check_weights(const snug__archive *a, const snug_model *m, const char *path,
                                     const snug_load_options *options) {
  uint64_t weights = snug__variables_place(&m->variables, SNUG__WEIGHT, SNUG__NOWHERE);
  if (!reads_state(options)) {
    return check_parts(m, path, false);
  }
  return to_take(m->ctx, weights) <= snug__gate_room(&m->ctx->account.gate)
             ? SNUG_OK
             : snug__load_fail_early(a, m->ctx, path, options, held(m->ctx) + LOAD_BYTES);
}

snug_status snug__load_check_room(const snug_model *m, snug__h5 *h5) {
  bool has_state = false;
  SNUG_TRY(snug__keras_has_optimizer(m, h5, &has_state));
  return check_parts(m, snug__h5_file(h5), has_state);
}
