/* A plan as text: the verdict, what it is made of, the moment of the peak, what the levers did. */
#include "plan.h"

#include <math.h>
#include <string.h>

#define BAR_COLUMNS 24
#define TEXT_BYTES 256

/* ---- the verdict ---- */

static const char *step_text(double seconds, char *dst, size_t bytes) {
  char time[32];
  dst[0] = '\0';
  if (seconds > 0.0) {
    snprintf(dst, bytes, ", about %s a step", terminal_time(seconds, time, sizeof time));
  }
  return dst;
}

static void print_needed(const plan_view *v) {
  char needs[SNUG_BYTES_TEXT], least[SNUG_BYTES_TEXT], step[64];
  printf("needs %s%s; ", snug_bytes_text(v->memory.process, needs),
         step_text(v->point.seconds, step, sizeof step));
  if (snug_plan_least(v->plan) < v->memory.process) {
    printf("fits in as little as %s\n", snug_bytes_text(snug_plan_least(v->plan), least));
  } else {
    puts("there is no smaller plan");
  }
}

/* Without a line it is what the process may hold that is too small. */
static void print_no_room(const plan_view *v) {
  char needs[SNUG_BYTES_TEXT], room[SNUG_BYTES_TEXT], least[SNUG_BYTES_TEXT];
  printf("does not fit: needs %s, and this process may hold %s; the least that would do is %s\n",
         snug_bytes_text(v->memory.process, needs), snug_bytes_text(v->run->line.room, room),
         snug_bytes_text(snug_plan_least(v->plan), least));
}

static void print_verdict(const plan_view *v) {
  char needs[SNUG_BYTES_TEXT], line[SNUG_BYTES_TEXT], step[64];
  uint64_t bytes = v->run->line.bytes;
  if (!bytes) {
    (v->run->fits ? print_needed : print_no_room)(v);
  } else if (v->chosen < v->n_points) {
    printf("fits: %s of %s%s\n", snug_bytes_text(v->memory.process, needs),
           snug_bytes_text(bytes, line), step_text(v->point.seconds, step, sizeof step));
  } else {
    printf("does not fit in %s: the least that would do is %s\n", snug_bytes_text(bytes, line),
           snug_bytes_text(snug_plan_least(v->plan), needs));
  }
}

/* Against which limit it is judged. */
static void print_limit(const memory_line *l, uint64_t needs) {
  char room[SNUG_BYTES_TEXT], text[LINE_WARNING_BYTES];
  line_print_why(l);
  if (!l->bytes && l->room) {
    printf("judged by what this process may hold: %s (%s)\n", snug_bytes_text(l->room, room),
           l->who);
  } else if (!l->bytes) {
    puts("judged by nothing: there is no line");
  }
  if (*line_warning(l, needs, text)) {
    printf("warning: %s\n", text);
  }
}

static void print_conditions(const plan_view *v) {
  const fit_run *r = v->run;
  char result[2 * TEXT_BYTES];
  printf("%s, batch %lld", r->options->job.model, (long long)r->fit.batch_size);
  if (v->point.micro_batch && v->point.micro_batch < r->fit.batch_size) {
    printf(" in pieces of %lld", (long long)v->point.micro_batch);
  }
  if ((r->options->job.data.n || r->options->samples) && fit_samples(r)) {
    printf(", %lld samples", (long long)fit_samples(r));
  }
  puts(r->options->job.data.n ? "" : "; the data set is not counted (give it with --data)");
  printf("device: %s\n", snug_memory_device_name(r->job.ctx, 0));
  if (!r->is_estimate || r->line.bytes) {
    print_limit(&r->line, r->fits ? v->memory.process : 0);
  }
  if (r->line.bytes || r->resumes) {
    printf("the result: %s\n", plan_result(r, result, sizeof result));
  }
  if (*r->note) {
    printf("note: %s\n", r->note);
  }
  if (r->is_estimate) {
    puts("an estimate: this machine is not that one");
  }
}

/* ---- what it is made of ---- */

/* Returns the columns that are left of it. */
static int print_bar(const plan_view *v, uint64_t bytes) {
  static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  uint64_t all = v->memory.process > v->memory.planned ? v->memory.process : v->memory.planned;
  uint64_t n = all ? (uint64_t)((double)bytes / (double)all * BAR_COLUMNS * 8.0 + 0.5) : 0;
  fputs(n ? "  " : "", stdout);
  for (uint64_t i = 0; i < n / 8; i++) {
    fputs(v->run->out.ascii ? "#" : "█", stdout);
  }
  fputs(n % 8 == 0 ? "" : v->run->out.ascii ? "#" : eighths[n % 8], stdout);
  return BAR_COLUMNS + (n ? 0 : 2) - (int)(n / 8 + (n % 8 != 0));
}

static void print_part(const plan_view *v, const char *name, uint64_t bytes, const char *remark) {
  char text[SNUG_BYTES_TEXT];
  printf("  %-12s %10s", name, snug_bytes_text(bytes, text));
  int left = print_bar(v, bytes);
  if (*remark) {
    printf("%*s  %s", left, "", remark);
  }
  putchar('\n');
}

/* Validation is a program of its own in the block of the step. */
static void print_validation(const plan_view *v) {
  char text[SNUG_BYTES_TEXT], remark[TEXT_BYTES];
  uint64_t bytes = snug_plan_validation(v->plan);
  if (bytes) {
    snprintf(remark, sizeof remark,
             v->peak.validation ? "the peak is there: its block has %s"
                                : "in the block of the step, %s of it",
             snug_bytes_text(bytes, text));
    print_part(v, "validation", 0, remark);
  }
}

static void print_process(const plan_view *v) {
  const snug_memory_report *m = &v->memory;
  char all[SNUG_BYTES_TEXT];
  if (m->process > m->planned) {
    print_part(v, "code", m->code, "the program and its libraries");
    print_part(v, "outside", m->outside, "JIT code, stacks, the C library's heap");
    print_part(v, "tables", m->tables, "page tables");
    print_part(v, "reserve", m->reserve, "for what is not known to the byte");
    if (m->idle) {
      print_part(v, "idle", m->idle, "preallocated and not needed");
    }
  }
  printf("  %-12s %10s\n", "in all",
         snug_bytes_text(m->process > m->planned ? m->process : m->planned, all));
}

/* The stages that data pass through, as parts of what they take. */
static void print_stages(const plan_view *v) {
  const snug_data_report *d = &v->run->data;
  const struct {
    const char *name, *remark;
    uint64_t bytes;
  } stages[] = {{"held", "arrays in memory, indexes", d->held},
                {"batches", "ready ahead", d->batches},
                {"window", "to shuffle in", d->window},
                {"workers", "threads that read: stacks, scratch", d->workers}};
  char text[SNUG_BYTES_TEXT];
  for (size_t i = 0; d->batches && i < sizeof stages / sizeof *stages; i++) {
    if (stages[i].bytes) {
      printf("    %-10s %10s  %s\n", stages[i].name, snug_bytes_text(stages[i].bytes, text),
             stages[i].remark);
    }
  }
}

static void print_parts(const plan_view *v) {
  const snug_memory_report *m = &v->memory;
  putchar('\n');
  print_part(v, "weights", m->weights, "");
  print_part(v, "gradients", m->gradients, "");
  print_part(v, "optimizer", m->optimizer, "");
  print_part(v, "activations", m->activations, "");
  print_part(v, "scratch", m->scratch, "");
  print_part(v, "data", m->data, v->run->options->job.data.n ? "" : "one batch");
  print_stages(v);
  print_validation(v);
  print_part(v, "callbacks", m->callbacks, "");
  print_part(v, "runtime", m->runtime, "model, graphs, plans, programs, history");
  print_process(v);
}

/* ---- levers, and the plans beside this one ---- */

static void print_lever(const char *name, double seconds, const plan_view *v, const char *what) {
  char more[32];
  printf("  %-14s %8s  %s\n", name,
         seconds > 0.0 ? plan_more(v->fastest.seconds + seconds, v->fastest.seconds, more, 32) : "",
         what);
}

static void add_slots(const snug_plan_point *p, char *text, size_t bytes) {
  char size[SNUG_BYTES_TEXT];
  size_t used = strlen(text);
  if (p->slots == p->on_disk) {
    snprintf(text + used, bytes - used, ": optimizer slots");
  } else if (p->slots) {
    snprintf(text + used, bytes - used, ", %s of it optimizer slots",
             snug_bytes_text(p->slots, size));
  }
}

static void print_levers(const plan_view *v) {
  const snug_plan_point *p = &v->point;
  char text[TEXT_BYTES], bytes[SNUG_BYTES_TEXT], gave[SNUG_BYTES_TEXT], step[64];
  if (v->point.block == v->fastest.block) {
    return;
  }
  printf("\nAgainst the fastest plan (%s%s):\n", snug_bytes_text(v->fastest.process, bytes),
         step_text(v->fastest.seconds, step, sizeof step));
  if (p->recomputed) {
    snprintf(text, sizeof text, "%lld nodes run twice", (long long)p->recomputed);
    print_lever("recompute", p->recompute_seconds - v->fastest.recompute_seconds, v, text);
  }
  if (p->micro_batch != v->fastest.micro_batch) {
    snprintf(text, sizeof text, "%lld sample%s at a time", (long long)p->micro_batch,
             p->micro_batch == 1 ? "" : "s");
    print_lever("micro-batches", 0.0, v, text);
  }
  if (p->direct) {
    snprintf(text, sizeof text, "%lld take less scratch", (long long)p->direct);
    print_lever("kernels", p->direct_seconds, v, text);
  }
  if (p->on_disk) {
    snprintf(text, sizeof text, "%s wait in a file", snug_bytes_text(p->on_disk, bytes));
    add_slots(p, text, sizeof text);
    print_lever("disk", p->disk_seconds, v, text);
  }
  snprintf(text, sizeof text, "%s less", snug_bytes_text(v->fastest.process - p->process, gave));
  print_lever("together", p->seconds - v->fastest.seconds, v, text);
}

static void print_beside(const plan_view *v, const char *name, size_t i) {
  snug_plan_point p = SNUG_INIT(snug_plan_point);
  char bytes[SNUG_BYTES_TEXT], time[32], more[32], how[TEXT_BYTES];
  snug_plan_point_at(v->plan, i, &p);
  printf("  %-8s %10s  %s (%s)  %s\n", name, snug_bytes_text(p.process, bytes),
         terminal_time(p.seconds, time, sizeof time),
         plan_more(p.seconds, v->fastest.seconds, more, sizeof more),
         plan_how(&p, &v->fastest, "nothing given up", how, sizeof how));
}

/* The next point that is worth a line: some percent from the chosen one, or the last there is. */
#define APART 0.04
static size_t beside(const plan_view *v, int step) {
  double chosen = (double)v->point.block;
  size_t i = v->chosen;
  snug_plan_point p = SNUG_INIT(snug_plan_point);
  do {
    i += (size_t)step;
    snug_plan_point_at(v->plan, i, &p);
  } while (i > 0 && i + 1 < v->n_points && fabs((double)p.block - chosen) < APART * chosen);
  return i;
}

/* The plans to the left and to the right on the curve. */
static void print_neighbours(const plan_view *v) {
  if (v->n_points < 2) {
    return;
  }
  puts("\nBeside it:");
  if (v->chosen >= v->n_points) {
    print_beside(v, "least", v->n_points - 1);
  } else if (v->chosen > 0) {
    print_beside(v, "faster", beside(v, -1));
  }
  if (v->chosen + 1 < v->n_points) {
    print_beside(v, "smaller", beside(v, 1));
  }
}

static void print_next(const plan_view *v) {
  const fit_options *o = v->run->options;
  if (o->curve || o->draw || o->common.quiet) {
    return;
  }
  printf("\nnext: snug plan %s --batch-size %lld --curve     or --draw, or --find-batch --memory ",
         o->job.model, (long long)v->run->fit.batch_size);
  puts(line_text(o->memory) ? line_text(o->memory) : "2GiB");
}

void plan_print(const plan_view *v) {
  print_verdict(v);
  print_conditions(v);
  print_parts(v);
  plan_print_peak(v);
  print_levers(v);
  print_neighbours(v);
  if (v->run->options->draw) {
    plan_print_map(v);
  }
  if (v->run->options->curve) {
    plan_print_curve(v);
  }
  print_next(v);
}
