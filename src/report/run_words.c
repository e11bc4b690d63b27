/* A run in words. */
#include <math.h>
#include <string.h>

#include "report/run.h"

#define NAME_BYTES 256

const char *snug__run_state(const snug__run *run) {
  return run->end == SNUG_RECORDING_CLOSED ? "complete"
         : run->end == SNUG_RECORDING_CUT  ? "cut"
                                           : "damaged";
}

const char *snug__stage_text(snug__stage stage) {
  static const char *const texts[] = {"run",    "before the first epoch", "training", "validation",
                                      "saving", "between epochs"};
  return texts[stage];
}

static snug_quoting quoting(bool ascii) { return ascii ? SNUG_QUOTE_ASCII : SNUG_QUOTE_TERMINAL; }

/* ---- the verdict ---- */

static void add_end(const snug__run *run, bool ascii, snug__line *line) {
  const char *verdict = snug__run_fact(run, "end.verdict");
  char text[NAME_BYTES];
  if (run->end == SNUG_RECORDING_DAMAGED) {
    snug__line_add(line, "the recording is damaged at byte %llu: this is what lies before%s",
                   (unsigned long long)run->end_byte, snug__dot(ascii));
  } else if (run->end == SNUG_RECORDING_CUT) {
    snug__line_add(line, "cut short: the run was killed, or still goes on%s", snug__dot(ascii));
  } else if (verdict) {
    snug__line_add(line, "%s%s", snug__quote_into(text, sizeof text, quoting(ascii), verdict),
                   snug__dot(ascii));
  }
}

static void add_bytes(snug__line *line, const char *before, uint64_t bytes) {
  char text[SNUG_BYTES_TEXT];
  snug__line_add(line, "%s%s", before, snug_bytes_text(bytes, text));
}

void snug__run_figures(const snug__run *run, bool ascii, snug__line *line) {
  bool is_closed = run->end == SNUG_RECORDING_CLOSED;
  uint64_t most = run->line ? run->line : run->planned;
  if (!run->peak) {
    snug__line_add(line, "no memory was recorded");
    return;
  }
  add_bytes(line, is_closed ? "peak " : "peak so far ", run->peak);
  if (run->line) {
    add_bytes(line, " of ", run->line);
  }
  if (run->planned) {
    snug__line_add(line, "%splanned", snug__dot(ascii));
    add_bytes(line, " ", run->planned);
  }
  if (most && (is_closed || run->peak > most)) {
    snug__line_add(line, "%s%s", snug__dot(ascii), run->peak <= most ? "held" : "passed");
  }
}

void snug__run_verdict(const snug__run *run, bool ascii, snug__line *line) {
  add_end(run, ascii, line);
  snug__run_figures(run, ascii, line);
}

/* ---- when ---- */

/* "3.2 s", or, where a high-water mark told of the peak later, since when that may have been:
 * "1.1 s to 3.2 s". */
static void add_seconds(const snug__run *run, size_t moment, snug__line *line) {
  const snug_moment *m = snug_recording_moment(run->of, moment);
  const snug_moment *before = moment ? snug_recording_moment(run->of, moment - 1) : NULL;
  char since[SNUG__TIME_BYTES], time[SNUG__TIME_BYTES];
  snug__time_text(m->seconds, time);
  bool is_seen = moment != run->peak_at || m->resident >= run->peak - run->peak / 10;
  if (before && !is_seen && strcmp(snug__time_text(before->seconds, since), time) != 0) {
    snug__line_add(line, "%s to ", since);
  }
  snug__line_add(line, "%s", time);
}

/* ---- in sentences ---- */

/* When a moment was, as people say it: "during epoch 2". */
static void add_moment(const snug__run *run, size_t moment, snug__stage stage, snug__line *line) {
  const snug_moment *m = snug_recording_moment(run->of, moment);
  long long epoch = m ? snug__ordinal(m->epoch) : 0;
  if (!m) {
    return;
  }
  if (stage == SNUG__STAGE_BEFORE) {
    bool is_fit = strcmp(snug__run_kind(run), "fit") == 0;
    snug__line_add(line, " before the first epoch%s",
                   is_fit ? ", where a fit takes all its memory" : "");
  } else if ((stage == SNUG__STAGE_NONE || m->epoch < 0) && m->seconds > 0.0) {
    snug__line_add(line, " ");
    add_seconds(run, moment, line);
    snug__line_add(line, " after it began");
  } else if (stage == SNUG__STAGE_NONE || m->epoch < 0) {
    snug__line_add(line, " as it began");
  } else {
    static const char *const texts[] = {[SNUG__STAGE_TRAINING] = "during",
                                        [SNUG__STAGE_VALIDATION] = "in the validation of",
                                        [SNUG__STAGE_SAVE] = "while it saved after",
                                        [SNUG__STAGE_BETWEEN] = "after"};
    snug__line_add(line, " %s epoch %lld", texts[stage], epoch);
  }
}

/* "; a step needs the most in the backward of conv2d_5" */
static void add_step(const snug__run *run, snug_quoting how, snug__line *line) {
  const char *step = snug__run_fact(run, "plan.peak_step");
  const char *pass = snug__run_fact(run, "plan.peak_pass");
  const char *layer = snug__run_fact(run, "plan.peak_layer");
  char name[NAME_BYTES];
  if (!step || !pass || !layer) {
    return;
  }
  bool validates = strcmp(step, "validation") == 0;
  snug__line_add(line, "; a step%s needs the most in the %s of %s",
                 validates ? " of validation" : "",
                 strcmp(pass, "backward") == 0 ? "backward" : "forward",
                 *layer ? snug__quote_into(name, sizeof name, how, layer) : "the model");
}

void snug__run_ending(const snug__run *run, snug_quoting how, snug__line *line) {
  const char *verdict = snug__run_fact(run, "end.verdict");
  size_t n = snug_recording_moments(run->of);
  char text[NAME_BYTES], time[SNUG__TIME_BYTES];
  if (run->end == SNUG_RECORDING_DAMAGED) {
    snug__line_add(line, "The recording is damaged at byte %llu: this is what lies before.",
                   (unsigned long long)run->end_byte);
  } else if (run->end == SNUG_RECORDING_CUT) {
    snug__line_add(line, "Cut short: the run was killed, or still goes on");
    snug__line_add(line, n ? "; it was last seen" : "");
    add_moment(run, n - 1, run->last_stage, line);
    snug__line_add(line, ".");
  } else {
    snug__quote_into(text, sizeof text, how, verdict ? verdict : "ended");
    text[0] = text[0] >= 'a' && text[0] <= 'z' ? (char)(text[0] - 'a' + 'A') : text[0];
    text[strcspn(text, "(")] = '\0'; /* what stands there, stands below */
    size_t bytes = strlen(text);
    text[bytes - (bytes && text[bytes - 1] == ' ')] = '\0';
    snug__line_add(line, run->seconds > 0.0 ? "%s, %s after it began." : "%s.", text,
                   snug__time_text(run->seconds, time));
  }
}

void snug__run_peak_says(const snug__run *run, snug_quoting how, snug__line *line) {
  if (!run->peak) {
    snug__line_add(line, "No memory was recorded.");
    return;
  }
  add_bytes(line, "It held the most, ", run->peak);
  if (run->line && run->peak <= run->line) {
    add_bytes(line, " of the ", run->line);
    snug__line_add(line, " that it may,");
  } else if (run->line) {
    add_bytes(line, " and so more than the ", run->line);
    snug__line_add(line, " that it may,");
  } else {
    snug__line_add(line, ",");
  }
  add_moment(run, run->peak_at, run->peak_stage, line);
  add_step(run, how, line);
  snug__line_add(line, ".");
}

/* ---- moments ---- */

void snug__run_when(const snug__run *run, size_t moment, snug__stage stage, snug__line *line) {
  const snug_moment *m = snug_recording_moment(run->of, moment);
  if (!m) {
    snug__line_add(line, "n/a");
    return;
  }
  if (m->epoch >= 0 && stage != SNUG__STAGE_BEFORE) {
    snug__line_add(line, "epoch %lld", snug__ordinal(m->epoch));
    if (m->batch >= 0 && stage == SNUG__STAGE_TRAINING) {
      snug__line_add(line, ", batch %lld", (long long)m->batch);
    }
    snug__line_add(line, ", ");
  }
  if (stage != SNUG__STAGE_NONE) {
    snug__line_add(line, "%s, ", snug__stage_text(stage));
  }
  add_seconds(run, moment, line);
  snug__line_add(line, " in");
}

/* ---- plan against run ---- */

void snug__run_planned(uint64_t planned, uint64_t measured, bool ascii, snug__line *line) {
  const char *dot = snug__dot(ascii);
  add_bytes(line, "planned ", planned);
  snug__line_add(line, "%s", dot);
  add_bytes(line, "measured ", measured);
  snug__line_add(line, "%s", dot);
  if (planned == measured) {
    snug__line_add(line, "equal to the byte");
  } else {
    add_bytes(line, "", measured > planned ? measured - planned : planned - measured);
    snug__line_add(line, measured > planned ? " more" : " less");
  }
}

/* ---- who and what ---- */

void snug__run_largest(const snug__vec *holders, size_t shown, bool ascii, snug__line *line) {
  char name[NAME_BYTES], bytes[SNUG_BYTES_TEXT];
  size_t n = 0;
  for (size_t i = 0; i < holders->n; i++) {
    const snug__holder *h = &SNUG_VEC(holders, snug__holder, i);
    if (n == shown) {
      snug__line_add(line, "%sand %zu more", snug__dot(ascii), holders->n - i);
      return;
    }
    if (*h->name) { /* what is of no layer is told by its class */
      snug__quote_into(name, 48, quoting(ascii), h->name);
      snug__line_add(line, "%s%s %s", n++ ? snug__dot(ascii) : "", name,
                     snug_bytes_text(h->bytes, bytes));
    }
  }
}

void snug__run_title(const snug__run *run, snug_quoting how, snug__line *line) {
  static const char *const facts[] = {"run.command", "model.name"};
  char text[NAME_BYTES];
  for (size_t i = 0; i < SNUG_COUNT(facts); i++) {
    const char *fact = snug__run_fact(run, facts[i]);
    if (fact && *fact) {
      snug__quote_into(text, sizeof text, how, fact);
      snug__line_add(line, "%s%s", i ? "model " : "", text);
      return;
    }
  }
  snug__quote_into(text, sizeof text, how, snug__run_kind(run));
  snug__line_add(line, "%s", text);
}
