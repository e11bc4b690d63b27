#include "remedies.h"

#include <math.h>
#include <string.h>

#include "plan.h"
#include "probe.h"
#include "suggest.h"
#include "terminal.h"

#define VALUE_BYTES 32

/* Who is refused does not wait long for advice: as long as so many plans take, where one takes its
 * time. */
#define TIMES_PLANNED 3.0
#define SECONDS 10.0

#define MOST_BATCHES 4    /* so many other batches are planned, */
#define NEAR_LARGEST 1.25 /* unless one is found that another would be little larger than */

/* A changed option, and the plan that it leads to. */
typedef struct remedy {
  fit_options options;
  char value[VALUE_BYTES]; /* that the changed option points to */
  cli_list allow;          /* likewise */
  const char *note;
  probe plan;
} remedy;

/* What is found is told at once: planning takes its time. */
typedef struct search {
  const fit_options *options;
  uint64_t line, least;
  uint64_t beside; /* what the process holds beside the step's memory */
  uint64_t room;   /* that the process has; 0: not known */
  bool resumes;    /* from a backup, which keeps the plan */
  double until;    /* nothing is sought after that moment */
  FILE *text;      /* NULL: not told there */
  json *list;      /* likewise */
  size_t n;        /* found so far */
} search;

static void tell(search *s, const remedy *r);

/* A remedy as yet without a change. */
static remedy begin(const search *s, const char *note) {
  return (remedy){.options = *s->options, .note = note};
}

/* Whether it fits under its line. */
static bool plan_remedy(const search *s, remedy *r, uint64_t line) {
  r->plan.least = UINT64_MAX;
  return terminal_now() < s->until && probe_plan(&r->options, line, s->until, &r->plan) == CLI_OK &&
         r->plan.fits;
}

static bool tell_if_fits(search *s, remedy *r, uint64_t line) {
  bool fits = plan_remedy(s, r, line);
  if (fits) {
    tell(s, r);
  }
  cli_list_release(&r->allow);
  return fits;
}

/* ---- what can be changed ---- */

static void try_auto(search *s) {
  remedy r = begin(s, "fits into what this process may hold: the same result");
  tell_if_fits(s, &r, s->line);
}

/* It may take twice as long as the others together: who is refused is to be told one way. */
static void try_line(search *s) {
  remedy r = begin(s, "fits as it is");
  double until = s->until;
  int64_t bytes = 0;
  line_at_least(s->least + PROBE_SLACK, r.value, sizeof r.value);
  r.options.memory = r.value;
  bool is_there = cli_parse_bytes(r.value, &bytes) && (!s->room || (uint64_t)bytes <= s->room);
  if (is_there) {
    s->until += until - terminal_now();
    tell_if_fits(s, &r, (uint64_t)bytes);
    s->until = until;
  }
}

/* A batch, and the least bytes that a fit takes with it. */
typedef struct batch_bytes {
  int64_t batch;
  uint64_t bytes; /* UINT64_MAX: not known */
} batch_bytes;

/* Where the straight line through two batches meets the limit, between them. */
static int64_t next_batch(const batch_bytes *low, const batch_bytes *high, uint64_t line) {
  int64_t apart = high->batch - low->batch;
  int64_t at = low->batch + apart / 2;
  if (high->bytes != UINT64_MAX && high->bytes > low->bytes && line > low->bytes) {
    double part = (double)(line - low->bytes) / (double)(high->bytes - low->bytes);
    at = low->batch + (int64_t)(part * (double)apart);
  } else if (line <= low->bytes) {
    at = low->batch;
  }
  at = at > low->batch ? at : low->batch + 1;
  return at < high->batch ? at : high->batch - 1;
}

/* Memory is close to a straight line over the batch, which begins at what the process holds beside
 * the step: few plans find a batch that is not far below the largest (--find-batch finds that). */
static void try_batch(search *s) {
  batch_bytes low = {0, s->beside};
  batch_bytes high = {s->options->job.batch_size, s->least};
  remedy best = begin(s, NULL);
  for (int i = 0; i < MOST_BATCHES && high.batch > low.batch + 1; i++) {
    remedy r = begin(s, "another batch is another training");
    r.options.job.batch_size = next_batch(&low, &high, s->line);
    if (best.note && (double)r.options.job.batch_size < NEAR_LARGEST * (double)low.batch) {
      break;
    }
    bool fits = plan_remedy(s, &r, s->line);
    best = fits ? r : best;
    *(fits ? &low : &high) = (batch_bytes){r.options.job.batch_size, r.plan.least};
  }
  if (best.note) {
    tell(s, &best);
  }
}

static void try_validation_batch(search *s) {
  const fit_options *o = s->options;
  int64_t batch = o->validation_batch_size ? o->validation_batch_size : o->job.batch_size;
  bool validates = o->validation_data.n || o->validation_split > 0.0;
  bool fits = !validates;
  for (batch /= 2; batch > 0 && !fits; batch /= 2) {
    remedy r = begin(s, "validation in smaller batches gives the same values");
    r.options.validation_batch_size = batch;
    fits = tell_if_fits(s, &r, s->line);
  }
}

static bool is_allowed(const fit_options *o, const char *what) {
  int32_t i = 0;
  while (i < o->allow.n && strcmp(o->allow.items[i], what) != 0) {
    i++;
  }
  return i < o->allow.n;
}

static void try_allowing(search *s, const char *what, const char *note) {
  remedy r = begin(s, note);
  if (is_allowed(s->options, what)) {
    return;
  }
  int code = cli_list_add(&r.allow, what);
  for (int32_t i = 0; i < s->options->allow.n && !code; i++) {
    code = cli_list_add(&r.allow, s->options->allow.items[i]);
  }
  r.options.allow = r.allow;
  tell_if_fits(s, &r, s->line);
}

/* Levers that were set by hand may be what is in the way. */
static void try_free_levers(search *s) {
  remedy r = begin(s, "what to make again and how much at a time is then chosen to fit");
  bool is_fixed = r.options.recompute || r.options.micro_batch || r.options.kernels;
  r.options.recompute = r.options.micro_batch = r.options.kernels = NULL;
  if (is_fixed) {
    tell_if_fits(s, &r, s->line);
  }
}

/* Only where a backup fixes the plan. */
static void try_replan(search *s) {
  remedy r =
      begin(s, "another plan than the backup's: other results than without the interruption");
  r.options.replan = true;
  if (s->resumes) {
    tell_if_fits(s, &r, s->line);
  }
}

static void try_optimizer(search *s) {
  remedy r = begin(s, "another optimizer, which keeps nothing between steps: another training");
  r.options.job.optimizer = "sgd";
  if (!s->options->job.optimizer || strncmp(s->options->job.optimizer, "sgd", 3) != 0) {
    tell_if_fits(s, &r, s->line);
  }
}

/* Those that change no result come first.  What the process has no room for is tried under a line
 * of that room. */
static void find_all(const fit_run *r, FILE *text, json *list) {
  fit_options o = *r->options;
  double seconds = fmax(SECONDS, TIMES_PLANNED * r->planning);
  double until = terminal_now() + seconds;
  char time[32];
  bool has_line = r->line.bytes > 0;
  o.memory = has_line ? o.memory : "auto";
  search s = {.options = &o,
              .line = has_line ? r->line.bytes : r->line.room,
              .least = r->least,
              .beside = r->planned.process - r->planned.block,
              .room = r->line.room,
              .resumes = r->resumes,
              .until = until,
              .text = text,
              .list = list};
  (has_line ? try_line : try_auto)(&s);
  try_replan(&s);
  try_free_levers(&s);
  try_validation_batch(&s);
  try_allowing(&s, "disk", "values wait in a file, --disk-folder says where: the same result");
  try_allowing(&s, "batch-statistics",
               "BatchNormalization then sees fewer samples at a time: another training");
  try_batch(&s);
  try_optimizer(&s);
  if (s.n == 0 && text) {
    fputs("  nothing that was tried\n", text);
  }
  if (terminal_now() >= until && text) {
    fprintf(text, "  (no more was tried: it took %s)\n", terminal_time(seconds, time, sizeof time));
  }
}

/* ---- telling ---- */

static void print_json_command(const remedy *r, json *j) {
  cli_list args = suggest_command(&r->options);
  json_array(j, "command");
  for (int32_t i = 0; i < args.n; i++) {
    json_text(j, NULL, args.items[i]);
  }
  json_end(j);
  cli_list_release(&args);
}

static void print_figures(const remedy *r, FILE *out) {
  char bytes[SNUG_BYTES_TEXT], time[32];
  fprintf(out, "      %s", snug_bytes_text(r->plan.process, bytes));
  if (r->plan.seconds > 0.0) {
    fprintf(out, ", about %s a step", terminal_time(r->plan.seconds, time, sizeof time));
  }
  fprintf(out, "; %s\n", r->note);
  fflush(out);
}

static void print_json(const remedy *r, json *j) {
  json_object(j, NULL);
  json_int(j, "process", (int64_t)r->plan.process);
  json_real(j, "step_seconds", r->plan.seconds);
  json_text(j, "note", r->note);
  print_json_command(r, j);
  json_end(j);
}

static void tell(search *s, const remedy *r) {
  s->n++;
  if (s->text) {
    fputs("  ", s->text);
    suggest_print(&r->options, s->text);
    fputc('\n', s->text);
    print_figures(r, s->text);
  }
  if (s->list) {
    print_json(r, s->list);
  }
}

void remedies_find(const fit_run *r, FILE *text, json *j) {
  if (text) {
    fputs("What would do, each planned:\n", text);
    fflush(text);
  }
  if (j) {
    json_array(j, "remedies");
  }
  find_all(r, text, j);
  if (j) {
    json_end(j);
  }
}

static void refuse_under_line(const fit_run *r) {
  char bytes[SNUG_BYTES_TEXT], needs[SNUG_BYTES_TEXT];
  const fit_options *o = r->options;
  cli_fail(CLI_NO_FIT, "%s with batch %lld does not fit in %s%s: the least that would do is %s%s",
           o->job.model, (long long)o->job.batch_size, snug_bytes_text(r->line.bytes, bytes),
           r->resumes ? " by the plan of its backup (--replan makes another)" : "",
           snug_bytes_text(r->least, needs),
           r->peaks_in_validation ? "; what needs most is validation, not training" : "");
}

/* There is no line, and the system would kill it. */
static void refuse_by_room(const fit_run *r) {
  char needs[SNUG_BYTES_TEXT], room[SNUG_BYTES_TEXT], least[SNUG_BYTES_TEXT];
  const fit_options *o = r->options;
  cli_fail(CLI_NO_FIT,
           "%s with batch %lld needs %s%s, and this process may hold %s (%s): the least that would "
           "do is %s. --memory none trains without this check",
           o->job.model, (long long)o->job.batch_size, snug_bytes_text(r->planned.process, needs),
           r->peaks_in_validation ? ", most of it in validation" : "",
           snug_bytes_text(r->line.room, room), r->line.who, snug_bytes_text(r->least, least));
}

/* The verdict is a message; --json has it on stdout, too. */
int remedies_refuse(const fit_run *r) {
  const fit_options *o = r->options;
  (r->line.bytes ? refuse_under_line : refuse_by_room)(r);
  json j = {.out = NULL};
  if (o->common.json) {
    j = json_begin(stdout);
    json_bool(&j, "fits", false);
    json_int(&j, "line", (int64_t)r->line.bytes);
    json_int(&j, "least", (int64_t)r->least);
    line_json_room(&j, &r->line);
  }
  if (!o->common.quiet) {
    remedies_find(r, stderr, o->common.json ? &j : NULL);
  }
  if (o->common.json) {
    json_finish(&j);
  }
  return CLI_NO_FIT;
}
