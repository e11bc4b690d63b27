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
    return cli_fail(CLI_USAGE, "plan: --output is the file of --curve, which is not there");
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
    return cli_fail(CLI_USAGE, "plan: %s goes with --data", needs_data);
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
  r->fit.levers.beside = true; /* also without a line, what less would cost */
  r->fit.levers.curve = r->options->curve || r->options->plan_output;
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
     "the map of the block over the time of a step: what lies where, and when"},
    {"find-batch", 0, CLI_FLAG, NULL, NULL, NULL, AT(find_batch),
     "the largest batch that fits under the line, or without one in what this process may hold, "
     "without trying any out"},
    {"isa", 0, CLI_CHOICE, "SET", "base|avx2|avx512", NULL, AT(isa),
     "plan for a processor with this instruction set: an estimate, as the timings are not its own"},
    {"samples", 0, CLI_AT_LEAST_1, "N", NULL, NULL, AT(samples),
     "plan for so many samples without having them; without it and --data, for one batch"},
    {"input-shape", 0, CLI_TEXT, "SHAPE", NULL, NULL, AT(job.input_shape),
     "the shape of a sample where the file leaves sizes open: 224,224,3; of several inputs "
     "'224,224,3;8'"},
    FIT_SHARED_OPTIONS,
    {"output", 'o', CLI_FILE, "FILE", "html csv json", "Results", AT(plan_output),
     "write the curve there: .html (one page with its picture), .csv or .json"},
    {"write-kernels", 0, CLI_FILE, "FILE", NULL, NULL, AT(kernels_output),
     "write the implementations that the plan runs there: a list for --kernels"},
    {"force", 'f', CLI_FLAG, NULL, NULL, NULL, AT(force), "replace FILE if it exists"},
    CLI_COMMON_OPTIONS(fit_options),
    CLI_COLOUR_OPTIONS(fit_options),
};

static const cli_example examples[] = {
    {"snug plan model.keras --batch-size 64", "what does it take, and how little would do?"},
    {"snug plan model.keras --batch-size 64 --memory 2GiB", "does it fit in 2 GiB, and how?"},
    {"snug plan model.keras --data train.npz --memory 70%", "with the data, on this machine"},
    {"snug plan model.keras --find-batch --memory 2GiB", "the largest batch for 2 GiB"},
    {"snug plan model.keras --curve -o curve.html", "what each byte less costs in time"},
};

const cli_verb cli_verb_plan = {
    .name = "plan",
    .summary = "say what training would take, and how it would fit",
    .operand = JOB_OPERAND(fit_options, "to plan for"),
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description =
        "Takes the options of snug fit and plans what that would do; nothing is trained. The "
        "verdict comes first: whether it fits, and what it needs. Then what the process holds at "
        "its peak, which values are alive at that moment, what was given up to fit and what that "
        "costs in time, and the plans beside this one.\n"
        "The bytes are those of the whole process. What Snug itself allocates is exact; the rest "
        "is measured in this process before it would train.\n"
        "Without --data the shapes are those of the model, and the data set is not counted. The "
        "line may be more than this machine has. Without a line the plan is that of full speed, "
        "and "
        "is judged by what this process may hold; with --memory none by nothing.\n"
        "If it does not fit, ways that would are printed as commands. Each of them was planned.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .exits = "3\tit does not fit under the line, or into what the process may hold\n",
    .computes = true,
    .run = run,
};
