/* A search between a batch that fits and one that does not.  Memory is close to a straight line
 * over the batch, so the next one to try is where that line meets the limit. */
#include "find_batch.h"

#include <string.h>

#include "json.h"
#include "suggest.h"
#include "terminal.h"

#define MOST_BATCH (INT64_C(1) << 24)

/* A batch and what it needs at least. */
typedef struct tried {
  int64_t batch; /* 0: none yet */
  probe plan;
} tried;

typedef struct search {
  const fit_options *options;
  uint64_t line;
  double until; /* as probe_plan has it */
  bool say;
  tried low, high; /* low fits, high does not */
} search;

/* In pieces of its own choice any batch fits: what is looked for is one that is run whole. */
static bool pieces_are_fixed(const fit_options *o) {
  return o->micro_batch && strcmp(o->micro_batch, "auto") != 0;
}

static int try_batch(search *s, int64_t batch, tried *out) {
  fit_options o = *s->options;
  char needs[SNUG_BYTES_TEXT];
  char whole[32];
  snprintf(whole, sizeof whole, "%lld", (long long)batch);
  o.job.batch_size = batch;
  o.micro_batch = pieces_are_fixed(&o) ? o.micro_batch : whole;
  int code = probe_plan(&o, s->line, s->until, &out->plan);
  out->batch = batch;
  if (!code && s->say) {
    uint64_t bytes = out->plan.fits ? out->plan.process : out->plan.least;
    fprintf(stderr, "batch %lld: %s%s%s\n", (long long)batch,
            out->plan.fits        ? ""
            : bytes == UINT64_MAX ? "cannot be planned"
                                  : "does not fit, at the least ",
            bytes == UINT64_MAX ? "" : snug_bytes_text(bytes, needs),
            out->plan.fits && out->plan.recomputed ? ", with recompute" : "");
  }
  return code;
}

static void place(search *s, const tried *t) {
  if (t->plan.fits) {
    s->low = *t;
  } else {
    s->high = *t;
  }
}

/* Where the straight line through two plans meets the limit; 0: it cannot be told. */
static int64_t meeting(const tried *a, const tried *b, uint64_t line) {
  double rise = (double)b->plan.least - (double)a->plan.least;
  if (a->batch == 0 || b->batch <= a->batch || rise <= 0.0 || b->plan.least == UINT64_MAX) {
    return 0;
  }
  double batch = (double)a->batch +
                 ((double)line - (double)a->plan.least) / rise * (double)(b->batch - a->batch);
  return batch < (double)MOST_BATCH ? (int64_t)batch : MOST_BATCH;
}

/* The next batch between low and high.  At least every second one halves what is left. */
static int64_t between(const search *s, int64_t i) {
  int64_t at = i % 3 == 2 ? 0 : meeting(&s->low, &s->high, s->line);
  int64_t half = s->low.batch + (s->high.batch - s->low.batch) / 2;
  at = at ? at + (i % 3 == 1) : half; /* beside it: the two are then next to each other */
  at = at > s->low.batch ? at : s->low.batch + 1;
  return at < s->high.batch ? at : s->high.batch - 1;
}

/* Find a batch that does not fit, or come to the last one. */
static int go_up(search *s, int64_t most) {
  tried before = {0};
  int code = CLI_OK;
  while (!code && s->high.batch == 0 && s->low.batch < most) {
    int64_t next = meeting(&before, &s->low, s->line) + 1;
    next = next > 2 * s->low.batch ? next : 2 * s->low.batch;
    tried t;
    before = s->low;
    code = try_batch(s, next < most ? next : most, &t);
    place(s, &t);
  }
  return code;
}

static int close_in(search *s) {
  int code = CLI_OK;
  for (int64_t i = 0; !code && s->high.batch > s->low.batch + 1; i++) {
    tried t;
    code = try_batch(s, between(s, i), &t);
    place(s, &t);
  }
  return code;
}

/* The memory is not quite a straight line: a batch that leaves no rest needs one program less.  So
 * the next power of two is looked at too. */
static int find_power(search *s, int64_t most, found_batch *out) {
  int64_t power = 1;
  while (power <= out->exact && power <= most / 2) {
    power *= 2;
  }
  int code = CLI_OK;
  for (; power > 0 && !code; power /= 2) {
    tried t = s->low;
    code = power == out->exact ? CLI_OK : try_batch(s, power, &t);
    if (!code && t.plan.fits) {
      out->power = power;
      out->at_power = t.plan;
      return CLI_OK;
    }
  }
  return code;
}

int find_batch(const fit_options *options, uint64_t line, int64_t most, double until, bool say,
               found_batch *out) {
  search s = {.options = options, .line = line, .until = until, .say = say};
  tried t;
  *out = (found_batch){0};
  int code = try_batch(&s, 1, &t);
  place(&s, &t);
  out->samples = options->job.data.n || options->samples ? t.plan.samples : MOST_BATCH;
  most = most && most < out->samples ? most : out->samples;
  if (code || !t.plan.fits) {
    out->at_exact = t.plan;
    return code;
  }
  code = go_up(&s, most);
  code = code ? code : close_in(&s);
  out->exact = s.low.batch;
  out->at_exact = s.low.plan;
  return code ? code : find_power(&s, most, out);
}

/* ---- the command ---- */

static void print_one(const char *name, int64_t batch, const probe *p) {
  char bytes[SNUG_BYTES_TEXT], time[32];
  printf("%-14s %8lld  %10s", name, (long long)batch, snug_bytes_text(p->process, bytes));
  if (p->seconds > 0.0) {
    double rate = (double)batch / p->seconds;
    printf(rate < 100.0 ? "  %s a step, %.3g samples/s" : "  %s a step, %.0f samples/s",
           terminal_time(p->seconds, time, sizeof time), rate);
  }
  putchar('\n');
}

/* The fit that it was looked for, with the line as it was typed. */
static void print_next(const fit_options *given, const memory_line *l, int64_t batch) {
  static const char *any_file[] = {"FILE"};
  fit_options o = *given;
  char size[32];
  o.job.batch_size = batch;
  o.memory = o.memory ? o.memory : line_at_least(l->bytes, size, sizeof size);
  o.job.data = o.job.data.n ? o.job.data : (cli_list){.items = any_file, .n = 1};
  fputs("next: ", stdout);
  suggest_print(&o, stdout);
  putchar('\n');
}

static void print_text(const fit_options *o, const memory_line *l, const found_batch *f) {
  char bytes[SNUG_BYTES_TEXT], least[SNUG_BYTES_TEXT];
  if (!f->exact) {
    printf("does not fit in %s: a batch of 1 needs %s\n", snug_bytes_text(l->bytes, bytes),
           snug_bytes_text(f->at_exact.least, least));
    line_print_why(l);
    return;
  }
  printf("batch %lld is the largest that fits in %s%s\n", (long long)f->exact,
         snug_bytes_text(l->bytes, bytes), f->exact == f->samples ? ": all samples at once" : "");
  print_one("largest", f->exact, &f->at_exact);
  print_one("power of two", f->power, &f->at_power);
  line_print_why(l);
  if (!o->common.quiet) {
    print_next(o, l, f->power);
  }
}

static void print_json(const fit_options *o, const memory_line *l, const found_batch *f) {
  json j = json_begin(stdout);
  json_bool(&j, "fits", f->exact > 0);
  json_text(&j, "model", o->job.model);
  json_int(&j, "line", (int64_t)l->bytes);
  json_text(&j, "line_from", *l->why ? l->why : NULL);
  json_int(&j, "batch_size", f->exact);
  json_int(&j, "process", (int64_t)f->at_exact.process);
  json_real(&j, "step_seconds", f->at_exact.seconds);
  json_int(&j, "power_of_two", f->power);
  json_int(&j, "least", (int64_t)f->at_exact.least);
  json_finish(&j);
}

int find_batch_command(const fit_options *given) {
  memory_line l;
  found_batch found;
  fit_options o = *given;
  const char *text = line_text(o.memory);
  if (text && strcmp(text, "none") == 0) {
    return cli_fail(CLI_USAGE,
                    "plan: --find-batch looks for what fits under a line, and there is to be "
                    "none: leave out --memory none, or give --memory 2GiB");
  }
  o.memory = text ? o.memory : "auto";
  int code = line_find(o.memory, &l);
  bool say = !o.common.quiet && !o.common.json;
  code = code ? code : find_batch(&o, l.bytes, 0, PROBE_PATIENT, say, &found);
  if (!code && found.exact == 0 && found.at_exact.least == UINT64_MAX) {
    fit_run r; /* says why it cannot be planned */
    code = fit_open(&r, &o, "plan");
    fit_close(&r);
    return code ? code : cli_fail(CLI_FAILURE, "plan: a batch of 1 cannot be planned");
  }
  if (!code) {
    (o.common.json ? print_json : print_text)(&o, &l, &found);
  }
  return code ? code : found.exact ? CLI_OK : CLI_NO_FIT;
}
