/* snug plan: what a fit would take, without running it. */
#include <stdlib.h>
#include <string.h>

#include "find_batch.h"
#include "fit_table.h"
#include "plan.h"
#include "remedies.h"

/* ---- before planning ---- */

static int check_output(const fit_options *o) {
  if (!o->plan_output) {
    return CLI_OK;
  }
  if (!o->curve) {
    return cli_fail(CLI_USAGE, "plan: --output needs --curve");
  }
  if (!cli_ends_in(o->plan_output, ".html") && !cli_ends_in(o->plan_output, ".csv") &&
      !cli_ends_in(o->plan_output, ".json")) {
    return cli_fail(CLI_USAGE, "plan: --output is \"%s\"; it ends in .html, .csv or .json",
                    o->plan_output);
  }
  int code = cli_file_check(o->plan_output, o->force);
  return code ? code : cli_file_check_folder(o->plan_output);
}

static int check_kernels(const fit_options *o) {
  int code = o->kernels_output ? cli_file_check(o->kernels_output, o->force) : CLI_OK;
  return code || !o->kernels_output ? code : cli_file_check_folder(o->kernels_output);
}

static int check(const fit_options *o) {
  const char *needs_data = o->validation_data.n   ? "--validation-data"
                           : o->job.sample_weight ? "--sample-weight"
                           : o->class_weight.n    ? "--class-weight"
                                                  : NULL;
  if (needs_data && !o->job.data.n) {
    return cli_fail(CLI_USAGE, "plan: %s needs --data", needs_data);
  }
  if (o->samples && o->job.data.n) {
    return cli_fail(CLI_USAGE, "plan: --samples and --data exclude each other");
  }
  int code = fit_check(o, "plan");
  code = code ? code : check_output(o);
  return code ? code : check_kernels(o);
}

/* The library reads the instruction set to use from the environment, when a context is made. */
static int set_isa(const fit_options *o) {
  return o->isa && setenv("SNUG_ISA", o->isa, 1) != 0 ? cli_fail(CLI_FAILURE, "no memory") : CLI_OK;
}

/* ---- planning ---- */

static int write_kernels(const snug_plan *plan, const fit_run *r) {
  cli_file file;
  const fit_options *o = r->options;
  int code = cli_file_begin(&file, r->job.ctx, o->kernels_output, o->force);
  if (code) {
    return code;
  }
  fputs(snug_plan_kernels(plan), file.stream);
  return cli_file_end(&file);
}

/* What was asked for, of a plan that was made. */
static int show(fit_run *r, const snug_plan *plan, json *j) {
  const fit_options *o = r->options;
  plan_view v = plan_view_of(r, plan);
  int code = o->plan_output ? plan_write_curve(&v, o->plan_output, o->force) : CLI_OK;
  code = code || !o->kernels_output ? code : write_kernels(plan, r);
  if (!code && o->common.json) {
    *j = plan_begin_json(&v, stdout);
  } else if (!code) {
    plan_print(&v);
  }
  return code;
}

/* A fit shows its plan, and counts what that takes: so does the plan of it. */
static bool is_shown(void *user, const snug_plan *plan) {
  (void)user;
  (void)plan;
  return true;
}

static int plan_and_show(fit_run *r, json *j) {
  snug_plan *plan = NULL;
  r->fit.planned = is_shown;
  r->fit.beside = true; /* also without a line, what less would cost */
  r->fit.curve = r->options->curve || r->options->plan_output;
  snug_status s = fit_make_plan(r, &plan);
  int code = s ? job_fail(&r->job, s) : CLI_OK;
  if (!code) {
    fit_keep_plan(r, plan);
    code = show(r, plan, j);
  }
  snug_plan_destroy(plan);
  return code;
}

/* Ways to make it fit are looked for when all of this plan is gone. */
static int finish(const fit_run *r, json *j) {
  const fit_options *o = r->options;
  bool has_remedies = !r->fits && !o->common.quiet;
  if (o->common.json) {
    if (has_remedies) {
      remedies_find(r, NULL, j);
    }
    json_finish(j);
  } else if (has_remedies) {
    fflush(stdout);
    putchar('\n');
    remedies_find(r, stdout, NULL);
  }
  return r->fits ? CLI_OK : CLI_NO_FIT;
}

static int run_with(const fit_options *o) {
  fit_run r;
  json j = {.out = NULL};
  int code = fit_open(&r, o, "plan");
  code = code ? code : plan_and_show(&r, &j);
  fit_close(&r);
  return code ? code : finish(&r, &j);
}

static int run(const cli_verb *verb, int n_args, char **args) {
  fit_options o = {FIT_DEFAULTS};
  int code = cli_parse(verb, n_args, args, &o);
  code = code ? code : check(&o);
  code = code ? code : set_isa(&o);
  if (!code) {
    code = o.find_batch ? find_batch_command(&o) : run_with(&o);
  }
  cli_options_release(verb, &o);
  return cli_finish(code);
}

/* ---- options ---- */

static const cli_option options[] = {
    {"curve", 0, CLI_FLAG, NULL, NULL, "Questions", AT(curve),
     "memory against time: every plan from the fastest to the smallest, as a table and a picture"},
    {"draw", 0, CLI_FLAG, NULL, NULL, NULL, AT(draw),
     "a map of the block over the time of a step: which values lie where, and when"},
    {"find-batch", 0, CLI_FLAG, NULL, NULL, NULL, AT(find_batch),
     "the largest batch that fits under the line, or without one in what this process may hold; "
     "nothing is run"},
    {"isa", 0, CLI_CHOICE, "SET", "base|avx2|avx512", NULL, AT(isa),
     "plan for a processor with this instruction set; an estimate, since times are measured on "
     "this machine"},
    {"samples", 0, CLI_AT_LEAST_1, "N", NULL, NULL, AT(samples),
     "plan for this number of samples, without data; default without --data: one batch"},
    {"input-shape", 0, CLI_TEXT, "SHAPE", NULL, NULL, AT(job.input_shape),
     "sample shape, where the file leaves sizes open: 224,224,3; for several inputs '224,224,3;8'"},
    FIT_SHARED_OPTIONS,
    {"output", 'o', CLI_FILE, "FILE", "html csv json", "Results", AT(plan_output),
     "write the curve to FILE: .html (one page with a chart), .csv or .json"},
    {"write-kernels", 0, CLI_FILE, "FILE", NULL, NULL, AT(kernels_output),
     "write the kernels that the plan uses to FILE, for --kernels"},
    {"force", 'f', CLI_FLAG, NULL, NULL, NULL, AT(force), "replace FILE if it exists"},
    CLI_COMMON_OPTIONS(fit_options),
    CLI_COLOUR_OPTIONS(fit_options),
};

static const cli_example examples[] = {
    {"snug plan model.keras --batch-size 64", "how much does it need, and what is the least?"},
    {"snug plan model.keras --batch-size 64 --memory 2GiB", "does it fit in 2 GiB, and how?"},
    {"snug plan model.keras --data train.npz --memory 70%", "with the data, on this machine"},
    {"snug plan model.keras --find-batch --memory 2GiB", "the largest batch for 2 GiB"},
    {"snug plan model.keras --curve -o curve.html", "the time that each saving in memory costs"},
};

const cli_verb cli_verb_plan = {
    .name = "plan",
    .summary = "predict the memory of a training, and how it would fit",
    .operand = JOB_OPERAND(fit_options, "to plan for"),
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description =
        "Takes the options of snug fit and plans that training; nothing is trained. The verdict "
        "comes first: whether it fits, and what it needs. Then follow what the process holds at "
        "its peak, which values are alive at that moment, which levers were used and what they "
        "cost in time, and the neighbouring plans.\n"
        "All figures are for the whole process. What Snug itself allocates is exact; the rest is "
        "measured in this process at the point where training would start.\n"
        "Without --data the shapes come from the model, and the data set is not counted. The line "
        "may be larger than the memory of this machine. Without a line the fastest plan is checked "
        "against what this process may hold; --memory none turns the check off.\n"
        "If it does not fit, commands that would fit are printed. Each of them was planned.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .exits = "3\tit does not fit under the line, or in the memory that the process may use\n",
    .computes = true,
    .run = run,
};
