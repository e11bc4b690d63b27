/* The same as one JSON object. */
#include "json.h"
#include "watch.h"

/* A figure that the system may not tell. */
static void told(json *j, const char *key, uint64_t figure) {
  if (figure == SNUG_WATCH_UNTOLD) {
    json_text(j, key, NULL);
  } else {
    json_int(j, key, (int64_t)figure);
  }
}

static void put_command(json *j, const watch_run *r) {
  char began[WATCH_TIME];
  json_array(j, "command");
  for (char **word = r->command; *word; word++) {
    json_text(j, NULL, *word);
  }
  json_end(j);
  json_text(j, "began", watch_began(r, began));
  json_real(j, "seconds", r->report.seconds);
}

static void put_peak(json *j, const snug_watch_report *w) {
  json_object(j, "peak");
  told(j, "bytes", w->peak ? w->peak : SNUG_WATCH_UNTOLD);
  json_int(j, "at_least", (int64_t)w->peak_least);
  json_int(j, "at_most", (int64_t)w->peak_most);
  json_real(j, "at", w->peak_at);
  json_int(j, "processes", w->peak_processes);
  json_array(j, "who");
  for (uint32_t i = 0; i < w->n_who; i++) {
    json_object(j, NULL);
    json_int(j, "process", w->who[i].process);
    json_text(j, "name", w->who[i].name);
    json_int(j, "bytes", (int64_t)w->who[i].bytes);
    json_end(j);
  }
  json_end(j);
  json_int(j, "others", (int64_t)w->peak_others);
  json_end(j);
}

static void put_split(json *j, const snug_watch_report *w) {
  if (!w->has_split) {
    json_text(j, "pss", NULL);
    return;
  }
  json_object(j, "pss");
  json_real(j, "at", w->split_at);
  json_int(j, "anonymous", (int64_t)w->anonymous);
  json_int(j, "file", (int64_t)w->file);
  json_int(j, "shared", (int64_t)w->shared);
  json_int(j, "file_resident", (int64_t)w->file_resident);
  json_int(j, "swap", (int64_t)w->swap);
  json_end(j);
}

static void put_shape(json *j, const watch_run *r) {
  const snug_watch_report *w = &r->report;
  char text[WATCH_TEXT];
  watch_write_shape(r, text);
  json_object(j, "shape");
  json_text(j, "is", watch_shape_name(w->shape));
  json_text(j, "says", text);
  json_real(j, "from", w->shape_from);
  json_int(j, "low", (int64_t)w->low);
  json_int(j, "high", (int64_t)w->high);
  json_real(j, "bytes_per_minute", w->per_minute);
  json_real(j, "period", w->period);
  json_int(j, "steps", w->steps);
  json_end(j);
}

static void put_group(json *j, const snug_watch_report *w) {
  const snug_watch_group *g = &w->group;
  if (!g->path[0]) {
    json_text(j, "group", NULL);
    return;
  }
  json_object(j, "group");
  json_text(j, "path", g->path);
  told(j, "limit", g->limit);
  told(j, "peak", g->peak);
  json_bool(j, "peak_is_new", g->peak_is_new);
  told(j, "killed_for_memory", g->kills);
  told(j, "cache", g->cache);
  json_end(j);
}

static void put_above(json *j, const watch_run *r) {
  static const char *const names[] = {"", "shared", "files", "swap", "others"};
  const snug_watch_report *w = &r->report;
  char text[WATCH_TEXT];
  if (!watch_write_above(r, text)) {
    json_text(j, "above_limit", NULL);
    return;
  }
  json_object(j, "above_limit");
  json_int(j, "bytes", (int64_t)w->above_bytes);
  json_text(j, "because", names[w->above]);
  json_text(j, "says", text);
  json_end(j);
}

static void put_gpu(json *j, const snug_watch_report *w) {
  bool is_told = w->devices > 0 && !*w->device_why;
  if (is_told) {
    json_object(j, "gpu");
    json_int(j, "now", (int64_t)w->device);
    json_int(j, "peak", (int64_t)w->device_peak);
    json_real(j, "at", w->device_peak_at);
    json_int(j, "devices", w->devices);
    json_end(j);
  } else {
    json_text(j, "gpu", NULL);
  }
  json_text(j, "gpu_says", is_told ? NULL : w->device_why);
}

static void put_rest(json *j, const snug_watch_report *w) {
  json_int(j, "samples", (int64_t)w->samples);
  json_real(j, "cost", w->cost);
  json_int(j, "processes", (int64_t)w->processes);
  json_int(j, "most_processes", w->most_processes);
  json_int(j, "left", w->left);
  json_int(j, "not_split", (int64_t)w->unsplit);
  json_int(j, "not_followed", (int64_t)w->untold);
}

void watch_print_json(const watch_run *r) {
  char verdict[WATCH_TEXT], next[WATCH_COMMAND + 64];
  json j = json_begin(r->out.stream);
  watch_write_verdict(r, verdict);
  put_command(&j, r);
  json_text(&j, "verdict", verdict);
  json_int(&j, "exit_code", child_code(&r->child));
  json_bool(&j, "killed_for_memory", watch_killed(r) != WATCH_NOT_KILLED);
  json_bool(&j, "exceeded", r->exceeded);
  put_peak(&j, &r->report);
  put_split(&j, &r->report);
  put_shape(&j, r);
  put_group(&j, &r->report);
  put_above(&j, r);
  put_gpu(&j, &r->report);
  json_text(&j, "recording", r->options->output);
  watch_write_next(r, next);
  json_text(&j, "next", next);
  put_rest(&j, &r->report);
  json_finish(&j);
}
