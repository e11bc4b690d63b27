/* A plan as JSON.  The figures that a probe reads (probe.c) stand first. */
#include "plan.h"

static void print_point(json *j, const char *key, const snug_plan_point *p) {
  json_object(j, key);
  json_int(j, "block", (int64_t)p->block);
  json_int(j, "process", (int64_t)p->process);
  json_real(j, "seconds", p->seconds);
  json_int(j, "micro_batch", p->micro_batch);
  json_int(j, "recomputed", p->recomputed);
  json_real(j, "recompute_seconds", p->recompute_seconds);
  json_int(j, "direct", p->direct);
  json_real(j, "direct_seconds", p->direct_seconds);
  json_int(j, "on_disk", (int64_t)p->on_disk);
  json_int(j, "slots", (int64_t)p->slots);
  json_real(j, "disk_seconds", p->disk_seconds);
  json_end(j);
}

static void print_points(json *j, const plan_view *v) {
  json_array(j, "points");
  for (size_t i = 0; i < v->n_points; i++) {
    snug_plan_point p = SNUG_INIT(snug_plan_point);
    snug_plan_point_at(v->plan, i, &p);
    print_point(j, NULL, &p);
  }
  json_end(j);
}

static bool is_alive(const snug_plan_buffer *b, int64_t item) {
  return b->first <= item && item < b->end;
}

static void print_peak(json *j, const plan_view *v) {
  json_object(j, "peak");
  json_int(j, "item", v->peak.item);
  json_int(j, "items", v->peak.items);
  json_text(j, "layer", v->peak.layer);
  json_text(j, "op", v->peak.op);
  json_bool(j, "backward", v->peak.backward);
  json_bool(j, "validation", v->peak.validation);
  json_int(j, "bytes", (int64_t)v->peak.bytes);
  json_array(j, "alive");
  for (size_t i = 0; i < snug_plan_buffers(v->plan); i++) {
    snug_plan_buffer b = SNUG_INIT(snug_plan_buffer);
    snug_plan_buffer_at(v->plan, i, &b);
    if (is_alive(&b, v->peak.item)) {
      json_object(j, NULL);
      json_text(j, "layer", b.layer);
      json_text(j, "op", b.op);
      json_text(j, "what", b.what);
      json_int(j, "bytes", (int64_t)b.bytes);
      json_end(j);
    }
  }
  json_end(j);
  json_end(j);
}

static void print_figures(json *j, const plan_view *v) {
  const fit_run *r = v->run;
  json_bool(j, "fits", r->fits);
  json_int(j, "process", (int64_t)v->memory.process);
  json_int(j, "least", (int64_t)snug_plan_least(v->plan));
  json_real(j, "step_seconds", v->point.seconds);
  json_int(j, "samples", fit_samples(r));
  json_int(j, "micro_batch", v->point.micro_batch);
  json_int(j, "recomputed", v->point.recomputed);
  json_int(j, "on_disk", (int64_t)v->point.on_disk);
  json_int(j, "line", (int64_t)r->line.bytes);
  json_text(j, "line_from", *r->line.why ? r->line.why : NULL);
  line_json_room(j, &r->line);
}

void plan_json_data(json *j, const snug_data_report *d) {
  json_object(j, "data");
  json_int(j, "held", (int64_t)d->held);
  json_int(j, "batches", (int64_t)d->batches);
  json_int(j, "window", (int64_t)d->window);
  json_int(j, "window_samples", d->window_samples);
  json_bool(j, "window_cut", d->window_cut);
  json_int(j, "workers_bytes", (int64_t)d->workers);
  json_int(j, "workers", d->n_workers);
  json_int(j, "prefetch", d->prefetch);
  json_real(j, "waited", d->waited);
  json_real(j, "copied", d->copied);
  json_int(j, "skipped", d->skipped);
  json_text(j, "first_skipped", d->skipped ? d->first_skipped : NULL);
  json_end(j);
}

json plan_begin_json(const plan_view *v, FILE *out) {
  const fit_run *r = v->run;
  char result[512];
  json j = json_begin(out);
  print_figures(&j, v);
  json_text(&j, "model", r->options->job.model);
  json_int(&j, "batch_size", r->fit.batch_size);
  json_text(&j, "device", snug_memory_device_name(r->job.ctx, 0));
  json_int(&j, "chosen", (int64_t)v->chosen);
  json_bool(&j, "data_counted", r->options->job.data.n > 0);
  json_bool(&j, "estimate", r->is_estimate);
  json_bool(&j, "same_bits", plan_same_bits(r));
  json_text(&j, "result", plan_result(r, result, sizeof result));
  json_text(&j, "note", *r->note ? r->note : NULL);
  plan_json_memory(&j, &v->memory);
  plan_json_data(&j, &r->data);
  json_int(&j, "validation_block", (int64_t)snug_plan_validation(v->plan));
  print_points(&j, v);
  print_peak(&j, v);
  plan_json_layers(&j, r);
  return j;
}
