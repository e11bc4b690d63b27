/* Views: runs are digested when the view is made, rules are judged when they are given. */
#include "report/view.h"

#include "base/struct_size.h"

#include <math.h>
#include <string.h>

#define MOST_JUDGEMENTS (1u << 16)
#define MOST_VALUES 256 /* that tables show */

/* ---- values ---- */

static const snug_logs *last_logs(const snug__run *run) {
  static const snug_logs none = {0};
  for (size_t i = run->epochs.n; i > 0; i--) {
    if (snug__run_epoch(run, i - 1)->logs.n) {
      return &snug__run_epoch(run, i - 1)->logs;
    }
  }
  return &none;
}

static bool is_known(const snug_view *v, const char *name) {
  for (size_t i = 0; i < v->values.n; i++) {
    if (strcmp(SNUG_VEC(&v->values, const char *, i), name) == 0) {
      return true;
    }
  }
  return strcmp(name, SNUG_PEAK_MEMORY) == 0;
}

static snug_status add_values(snug_view *v, const snug_logs *logs) {
  for (size_t i = 0; i < logs->n && v->values.n < MOST_VALUES; i++) {
    if (!is_known(v, logs->names[i])) {
      SNUG_TRY(snug__vec_push(&v->values, &logs->names[i], 1));
    }
  }
  return SNUG_OK;
}

const char *snug__view_value_name(const snug_view *v, size_t i) {
  return i < v->values.n ? SNUG_VEC(&v->values, const char *, i) : NULL;
}

/* ---- making one ---- */

static snug_status add_run(snug_view *v, const snug_recording *recording, const char *name) {
  const char *copy = NULL;
  SNUG_TRY(snug__arena_text(&v->texts, name ? name : "", &copy));
  SNUG_TRY(snug__run_init(&v->runs[v->n], v->ctx, recording, copy));
  v->n++;
  return add_values(v, last_logs(&v->runs[v->n - 1]));
}

const char *snug__short_name(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash && slash[1] ? slash + 1 : name;
}

/* Files of one name, as "main/run.snug" and "branch/run.snug", keep their folders. */
static void name_runs(snug_view *v) {
  for (size_t i = 0; i < v->n; i++) {
    size_t alike = 0;
    for (size_t k = 0; k < v->n; k++) {
      alike += strcmp(snug__short_name(v->runs[i].name), snug__short_name(v->runs[k].name)) == 0;
    }
    v->runs[i].shown = alike > 1 ? v->runs[i].name : snug__short_name(v->runs[i].name);
  }
}

static snug_status fill(snug_view *v, const snug_recording *const *recordings,
                        const char *const *names, size_t n) {
  snug__arena_init(&v->texts, v->ctx, SNUG__MEM_SCRATCH);
  snug__vec_init(&v->judgements, v->ctx, SNUG__MEM_SCRATCH, sizeof(snug__judgement),
                 MOST_JUDGEMENTS);
  snug__vec_init(&v->values, v->ctx, SNUG__MEM_SCRATCH, sizeof(const char *), MOST_VALUES);
  SNUG_TRY(SNUG_NEW_ARRAY(v->ctx, SNUG__MEM_SCRATCH, n, &v->runs));
  v->room = n;
  for (size_t i = 0; i < n; i++) {
    SNUG_TRY(add_run(v, recordings[i], names ? names[i] : NULL));
  }
  name_runs(v);
  return SNUG_OK;
}

static bool has_all(const snug_recording *const *recordings, size_t n) {
  for (size_t i = 0; recordings && i < n; i++) {
    if (!recordings[i]) {
      return false;
    }
  }
  return recordings != NULL;
}

snug_status snug_view_create(snug_ctx *ctx, const snug_recording *const *recordings,
                             const char *const *names, size_t n, snug_view **out) {
  if (out) {
    *out = NULL;
  }
  if (!ctx || !out) {
    return SNUG_E_ARGUMENT;
  }
  if (n == 0 || n > SNUG_VIEW_MOST || !has_all(recordings, n)) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "a view is of 1 to %d recordings, and not of %zu",
                      SNUG_VIEW_MOST, n);
  }
  snug_view *v = NULL;
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_SCRATCH, &v));
  v->ctx = ctx;
  snug_status s = fill(v, recordings, names, n);
  if (s) {
    snug_view_destroy(v);
    return s;
  }
  *out = v;
  return SNUG_OK;
}

void snug_view_destroy(snug_view *v) {
  if (!v) {
    return;
  }
  for (size_t i = 0; i < v->n; i++) {
    snug__run_release(&v->runs[i]);
  }
  SNUG_GIVE_ARRAY(v->ctx, SNUG__MEM_SCRATCH, v->runs, v->room);
  snug__vec_release(&v->judgements);
  snug__vec_release(&v->values);
  snug__arena_release(&v->texts);
  snug__give(v->ctx, SNUG__MEM_SCRATCH, v, sizeof *v);
}

/* ---- figures ---- */

static double known(uint64_t amount) { return amount ? (double)amount : NAN; }

double snug_view_figure(const snug_view *v, size_t run, const char *name) {
  if (!v || run >= v->n || !name) {
    return NAN;
  }
  const snug__run *r = &v->runs[run];
  const struct {
    const char *name;
    double value;
  } figures[] = {{"peak", known(r->peak)},
                 {"held", known(r->held)},
                 {"device", known(r->device)},
                 {"time", r->seconds > 0.0 ? r->seconds : NAN},
                 {"step", r->step},
                 {"epochs", known((uint64_t)snug__run_epochs(r))}};
  for (size_t i = 0; i < SNUG_COUNT(figures); i++) {
    if (strcmp(figures[i].name, name) == 0) {
      return figures[i].value;
    }
  }
  return snug__run_value(r, name);
}

bool snug__view_has_figure(const snug_view *v, const char *figure) {
  for (size_t i = 0; i < v->n; i++) {
    if (!isnan(snug_view_figure(v, i, figure))) {
      return true;
    }
  }
  return false;
}

static bool is_among(const char *const *names, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++) {
    if (strcmp(names[i], name) == 0) {
      return true;
    }
  }
  return false;
}

/* "gpu_memory", "peak_gpu_memory", and with a number behind it where there are several GPUs. */
static bool is_gpu_memory(const char *name) {
  static const char text[] = "gpu_memory";
  name += strncmp(name, "peak_", 5) == 0 ? 5 : 0;
  if (strncmp(name, text, sizeof text - 1) != 0) {
    return false;
  }
  name += sizeof text - 1;
  name += *name == '_';
  return strspn(name, "0123456789") == strlen(name);
}

/* Values of others may be called anything: "memory_cell_loss" is none. */
bool snug__figure_is_bytes(const char *name) {
  static const char *const names[] = {"peak", "held", "device", SNUG_PEAK_MEMORY, "memory"};
  return is_among(names, SNUG_COUNT(names), name) || is_gpu_memory(name);
}

bool snug__figure_is_seconds(const char *name) {
  return strcmp(name, "time") == 0 || strcmp(name, "step") == 0;
}

const char *snug__figure_text(const char *name, double value, char out[SNUG__TIME_BYTES]) {
  if (isnan(value)) {
    snprintf(out, SNUG__TIME_BYTES, "n/a");
    return out;
  }
  if (snug__figure_is_bytes(name) && value >= 0.0 && value < 0x1p63) {
    return snug_bytes_text((uint64_t)value, out);
  }
  return snug__figure_is_seconds(name) ? snug__time_text(value, out) : snug__value_text(value, out);
}

/* ---- forms ---- */

void snug_view_write(const snug_view *v, snug_view_form form, const snug_view_options *options) {
  snug_view_options given;
  if (!v || SNUG__READ(v->ctx, snug_view_options, options, &given) || !given.sink) {
    return;
  }
  snug__out o = {given.sink, given.user};
  switch (form) {
    case SNUG_VIEW_TEXT:
      (v->n == 1 ? snug__view_text : snug__compare_text)(v, &given);
      break;
    case SNUG_VIEW_JSON:
      snug__view_json(v, &o);
      break;
    case SNUG_VIEW_CSV:
      snug__view_csv(v, &o);
      break;
    case SNUG_VIEW_TRACE:
      snug__view_trace(v, &o);
      break;
    case SNUG_VIEW_HTML:
      (v->n == 1 ? snug__view_html : snug__compare_html)(v, &o);
      break;
  }
}

void snug_view_verdict(const snug_view *v, size_t run, bool ascii, char *out, size_t bytes) {
  snug__line line = {.n = 0};
  if (out && bytes) {
    if (v && run < v->n) {
      snug__run_verdict(&v->runs[run], ascii, &line);
    }
    snprintf(out, bytes, "%.*s", (int)line.n, line.text);
  }
}
