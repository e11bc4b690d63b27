/* snug watch: the memory of any command, its exit code passed on. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"

#define KILL_EVERY 0.1
#define KILL_FOR 5.0

/* ---- running ---- */

static void waited(void *arg, pid_t process, long most_resident_kib) {
  const watch_run *r = arg;
  snug_watch_ended(r->watch, process, (uint64_t)most_resident_kib << 10);
}

static snug_watch_now look(watch_run *r) {
  snug_watch_now now = SNUG_INIT(snug_watch_now);
  double wait = snug_watch_look(r->watch);
  snug_watch_get(r->watch, &now);
  watch_live_draw(r, &now);
  child_run(&r->child, wait);
  snug_watch_get(r->watch, &now);
  return now;
}

static void say_ending(watch_run *r, const snug_watch_now *now) {
  char peak[SNUG_BYTES_TEXT], maximum[SNUG_BYTES_TEXT];
  watch_live_clear(r);
  if (!r->options->common.quiet) {
    fprintf(r->out.stream, "snug: %s is above --max %s: ending it (SIGTERM, after %g s SIGKILL)\n",
            snug_bytes_text(now->peak, peak),
            snug_bytes_text((uint64_t)r->options->maximum, maximum), r->options->grace);
  }
}

/* Signals to the whole tree, until nobody of it is left: first one that can be answered. */
static void end_tree(watch_run *r) {
  double until = terminal_now() + r->options->grace;
  snug_watch_now now = SNUG_INIT(snug_watch_now);
  snug_watch_signal(r->watch, SIGTERM);
  snug_watch_signal(r->watch, SIGCONT); /* who is stopped would not hear it */
  do {
    now = look(r);
  } while ((!r->child.ended || now.processes) && terminal_now() < until);
  until = terminal_now() + KILL_FOR;
  while ((!r->child.ended || now.processes) && terminal_now() < until) {
    snug_watch_signal(r->watch, SIGKILL);
    now = look(r);
  }
}

static void run_command(watch_run *r) {
  snug_watch_now now = SNUG_INIT(snug_watch_now);
  while (!r->child.ended && !now.exceeded) {
    now = look(r);
  }
  if (now.exceeded && !r->child.ended) {
    r->ending = true;
    say_ending(r, &now);
    end_tree(r);
  }
  snug_watch_get(r->watch, &now);
  r->exceeded = now.exceeded;
  snug_watch_report_get(r->watch, &r->report);
}

static int open_watch(watch_run *r) {
  snug_watch_options o = SNUG_INIT(snug_watch_options);
  if (snug_ctx_create(NULL, &r->ctx)) {
    return cli_fail(CLI_NOT_WATCHED, "watch: no memory");
  }
  int code = watch_record_open(r);
  if (code) {
    return code;
  }
  o.maximum = (uint64_t)r->options->maximum;
  o.no_devices = r->options->no_gpu;
  o.recorder = r->recorder;
  return snug_watch_create(r->ctx, &o, &r->watch)
             ? cli_fail(CLI_NOT_WATCHED, "%s", cli_message(r->ctx))
             : CLI_OK;
}

static bool can_live(const watch_run *r) {
  bool can = r->out.is_terminal && watch_live_rows(r) > 0;
  if (r->options->live && !can && !r->options->common.quiet) {
    fprintf(r->out.stream, "snug: --live needs a terminal at standard error%s; it is left out\n",
            r->out.is_terminal ? " that tells how many rows it has, 3 or more" : "");
  }
  return r->options->live && can;
}

static int watch_command(watch_run *r) {
  int code = child_start(&r->child, r->command);
  if (code) {
    return code;
  }
  r->is_live = can_live(r);
  run_command(r);
  watch_live_clear(r);
  watch_record_close(r);
  if (r->options->common.json) {
    watch_print_json(r);
  } else if (!r->options->common.quiet) {
    watch_print_box(r);
  }
  child_release(&r->child);
  return r->exceeded ? CLI_EXCEEDED : child_code(&r->child);
}

/* ---- the command line ---- */

/* The place of "--"; n if there is none. */
static int separator(int n, char **args) {
  int i = 0;
  while (i < n && strcmp(args[i], "--") != 0) {
    i++;
  }
  return i;
}

static bool is_last_letter(const char *word, char letter) {
  size_t n = strlen(word);
  return n > 1 && word[0] == '-' && word[1] != '-' && letter && word[n - 1] == letter;
}

/* Whether the word behind this one is its value: "--max 4GiB", "-o FILE". */
static bool wants_next(const cli_verb *verb, const char *word) {
  for (size_t i = 0; i < verb->n_options; i++) {
    const cli_option *o = &verb->options[i];
    bool is_it = strncmp(word, "--", 2) == 0 && strcmp(word + 2, o->name) == 0;
    if (cli_takes_value(o) && (is_it || is_last_letter(word, o->letter))) {
      return true;
    }
  }
  return false;
}

/* The line as it is right: options, --, and all from the first word that is none of them. */
static int fail_separator(const cli_verb *verb, int n, char **args) {
  char before[WATCH_COMMAND], command[WATCH_COMMAND];
  int at = 0;
  while (at < n && args[at][0] == '-') {
    at += 1 + wants_next(verb, args[at]);
  }
  at = at < n ? at : n;
  watch_write_words(at, args, before);
  watch_write_words(n - at, args + at, command);
  return cli_fail(CLI_USAGE,
                  "watch: where does the command begin? Write -- before it: snug watch %s%s-- %s",
                  before, at ? " " : "", at < n ? command : "python train.py");
}

static int check(const cli_verb *verb, int n, char **args, int at) {
  if (at == n) {
    return fail_separator(verb, n, args);
  }
  if (at + 1 == n || !*args[at + 1]) {
    return cli_fail(CLI_USAGE,
                    "watch: which command? Put it after --: snug watch -- "
                    "python train.py");
  }
  return CLI_OK;
}

static int run(const cli_verb *verb, int n_args, char **args) {
  watch_options o = {.grace = 5.0};
  int at = separator(n_args, args);
  int code = check(verb, n_args, args, at);
  code = code ? code : cli_parse(verb, at + 2, args, &o);
  if (code) {
    return code;
  }
  watch_run r = {.options = &o,
                 .report = SNUG_INIT(snug_watch_report),
                 .command = args + at + 1,
                 .out = terminal_of(stderr, &o.common),
                 .began = time(NULL),
                 .child = {.waited = waited, .arg = &r, .signals = -1}};
  code = open_watch(&r);
  code = code ? code : watch_command(&r);
  snug_watch_destroy(r.watch);
  (void)!snug_recorder_close(r.recorder);
  snug_ctx_destroy(r.ctx);
  return code;
}

static const cli_example examples[] = {
    {"snug watch -- python train.py",
     "run it; at the end report the peak, its time and its processes"},
    {"snug watch --max 4GiB -- python train.py",
     "end it and all its processes when they hold more (exit code 4)"},
    {"snug watch -o run.snug -- python train.py",
     "record it for snug report and snug compare; readable even after a kill"},
    {"snug watch --json -- make -j8 2>&1 >/dev/null | tail -n 1", "the result as JSON"},
};

static const cli_option options[] = {
    {"max", 0, CLI_BYTES, "BYTES", NULL, "Limits", offsetof(watch_options, maximum),
     "the most that the command and its processes may hold, such as 4GiB. If they hold more they "
     "get SIGTERM, later SIGKILL, and the exit code is 4"},
    {"grace", 0, CLI_SECONDS, "SECONDS", NULL, NULL, offsetof(watch_options, grace),
     "time between SIGTERM and SIGKILL (5)"},
    {"output", 'o', CLI_FILE, "FILE", "snug", "Output", offsetof(watch_options, output),
     "record samples, maxima and the result to FILE, for snug report and snug compare. The "
     "recording stays readable even if snug itself is killed"},
    {"force", 'f', CLI_FLAG, NULL, NULL, NULL, offsetof(watch_options, force),
     "replace a recording that exists"},
    {"live", 0, CLI_FLAG, NULL, NULL, NULL, offsetof(watch_options, live),
     "show memory, peak and number of processes during the run, in the last row of the terminal, "
     "which is reserved for it. Not for full-screen programs"},
    {"no-gpu", 0, CLI_FLAG, NULL, NULL, NULL, offsetof(watch_options, no_gpu),
     "do not ask the NVIDIA driver for memory on GPUs"},
    {"json", 0, CLI_FLAG, NULL, NULL, NULL, offsetof(watch_options, common.json),
     "print the result as one JSON object, the last line of standard error (standard output "
     "belongs to the command). Bytes are integers, unknown values are null"},
    {"quiet", 'q', CLI_FLAG, NULL, NULL, NULL, offsetof(watch_options, common.quiet),
     "print nothing"},
};

const cli_verb cli_verb_watch = {
    .name = "watch",
    .summary = "run any command and report its peak memory",
    .operand = {.value = "COMMAND",
                .what = "the command to run, with its arguments; it runs unchanged",
                .is_file = true,
                .is_command = true,
                .member = offsetof(watch_options, command)},
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description =
        "Samples the command and all its descendants, orphans included, 20 times a second, and "
        "reads the kernel's high-water marks, so that peaks between two samples are known too. "
        "Standard input and output, the terminal, signals and the exit code belong to the command. "
        "The report goes to standard error when the command has ended.\n"
        "The peak is resident memory. Pages that several processes share are counted once as far "
        "as they are known; where they are not, bounds are given. The shape says whether memory "
        "was flat, growing (a leak), rising (a start or a leak: the run was too short to tell), "
        "stepped, or up and down.\n"
        "A signal to snug is forwarded to the command; one from the terminal reaches the command "
        "directly. Snug does not wait for processes that are left when the command ends.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .exits =
        "4\t--max was exceeded\n"
        "125\tsnug itself failed\n"
        "126\tthe command is not executable\n"
        "127\tthe command was not found\n"
        "128+N\tthe command was ended by signal N (137: SIGKILL)\n"
        "any other\tthe command's own\n",
    .runs_others = true,
    .run = run,
};
