/* What the screens of a plan share. */
#include <math.h>
#include <string.h>

#include "plan.h"

plan_view plan_view_of(const fit_run *run, const snug_plan *plan) {
  plan_view v = {.run = run,
                 .plan = plan,
                 .memory = SNUG_INIT(snug_memory_report),
                 .fastest = SNUG_INIT(snug_plan_point),
                 .point = SNUG_INIT(snug_plan_point),
                 .peak = SNUG_INIT(snug_plan_moment),
                 .n_points = snug_plan_points(plan),
                 .chosen = snug_plan_chosen(plan)};
  size_t shown = v.chosen < v.n_points ? v.chosen : v.n_points - 1;
  snug_plan_memory(plan, &v.memory);
  snug_plan_point_at(plan, 0, &v.fastest);
  snug_plan_point_at(plan, shown, &v.point);
  snug_plan_peak(plan, &v.peak);
  return v;
}

const char *plan_more(double seconds, double base, char *dst, size_t bytes) {
  double percent = base > 0.0 ? 100.0 * (seconds / base - 1.0) : 0.0;
  snprintf(dst, bytes, fabs(percent) < 9.95 ? "%+.1f %%" : "%+.0f %%", percent);
  return dst;
}

/* Append ", N words" to a text. */
static void add(char *dst, size_t bytes, int64_t n, const char *one, const char *many) {
  size_t used = strlen(dst);
  if (n > 0 && used < bytes) {
    snprintf(dst + used, bytes - used, "%s%lld %s", used ? ", " : "", (long long)n,
             n == 1 ? one : many);
  }
}

const char *plan_how(const snug_plan_point *p, const snug_plan_point *fastest, const char *none,
                     char *dst, size_t bytes) {
  char size[SNUG_BYTES_TEXT];
  dst[0] = '\0';
  add(dst, bytes, p->recomputed, "node runs twice", "nodes run twice");
  if (p->micro_batch != fastest->micro_batch) {
    add(dst, bytes, p->micro_batch, "sample at a time", "samples at a time");
  }
  add(dst, bytes, p->direct, "kernel with less scratch", "kernels with less scratch");
  if (p->on_disk) {
    size_t used = strlen(dst);
    snprintf(dst + used, bytes - used, "%s%s on disk", used ? ", " : "",
             snug_bytes_text(p->on_disk, size));
  }
  if (!*dst) {
    snprintf(dst, bytes, "%s", none);
  }
  return dst;
}

/* What recompute and the disk do changes no bit, so these are all. */
bool plan_same_bits(const fit_run *r) {
  return !r->resumes && r->point.micro_batch == r->fastest.micro_batch && !r->point.direct &&
         !r->data.window_cut;
}

/* ", " or nothing, and the words */
static void add_words(char *dst, size_t bytes, const char *words) {
  size_t used = strlen(dst);
  if (used < bytes) {
    snprintf(dst + used, bytes - used, "%s%s", used ? "; " : "", words);
  }
}

const char *plan_result(const fit_run *r, char *dst, size_t bytes) {
  char words[160];
  *dst = '\0';
  if (r->resumes) {
    add_words(dst, bytes, "that of the fit that the backup is of, to the bit");
  } else if (plan_same_bits(r)) {
    add_words(dst, bytes, "the same bits as without a line");
  }
  if (r->point.micro_batch != r->fastest.micro_batch) {
    snprintf(words, sizeof words, "other rounding than without a line: %lld sample%s at a time",
             (long long)r->point.micro_batch, r->point.micro_batch == 1 ? "" : "s");
    add_words(dst, bytes, words);
  }
  if (!r->resumes && r->point.direct) {
    snprintf(words, sizeof words, "other rounding than without a line: %lld other kernel%s",
             (long long)r->point.direct, r->point.direct == 1 ? "" : "s");
    add_words(dst, bytes, words);
  }
  if (!r->resumes && r->data.window_cut) {
    snprintf(words, sizeof words,
             "another order than without a line: shuffled %lld samples at a time",
             (long long)r->data.window_samples);
    add_words(dst, bytes, words);
  }
  return dst;
}

void plan_json_memory(json *j, const snug_memory_report *m) {
  const struct {
    const char *name;
    uint64_t bytes;
  } members[] = {{"planned", m->planned},     {"measured", m->measured},
                 {"weights", m->weights},     {"gradients", m->gradients},
                 {"optimizer", m->optimizer}, {"activations", m->activations},
                 {"scratch", m->scratch},     {"data", m->data},
                 {"callbacks", m->callbacks}, {"runtime", m->runtime},
                 {"block", m->block},         {"load", m->load},
                 {"code", m->code},           {"outside", m->outside},
                 {"tables", m->tables},       {"reserve", m->reserve},
                 {"process", m->process},     {"process_measured", m->process_measured},
                 {"line", m->line},           {"idle", m->idle}};
  json_object(j, "memory");
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    json_int(j, members[i].name, (int64_t)members[i].bytes);
  }
  json_end(j);
}

void plan_json_layers(json *j, const fit_run *r) {
  json_array(j, "layers");
  for (size_t i = 0; i < r->n_layers; i++) {
    const snug_layer_memory *l = &r->layers[i];
    json_object(j, NULL);
    json_text(j, "layer", l->layer);
    json_int(j, "weights", (int64_t)l->weights);
    json_int(j, "optimizer", (int64_t)l->optimizer);
    json_int(j, "step", (int64_t)l->step);
    json_end(j);
  }
  json_end(j);
}
