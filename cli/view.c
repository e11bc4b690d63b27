/* Recordings, shown. */
#include "view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct shown {
  const view_options *o;
  snug_ctx *ctx;
  snug_recording *recordings[SNUG_VIEW_MOST];
  const char *const *paths;
  size_t n;
  snug_view *view;
  const char *stem, *verb;
} shown;

/* Many small pieces: they are not flushed one by one. */
static void to_file(void *file, const char *text, size_t n) { fwrite(text, 1, n, file); }

/* ---- opening ---- */

static int open_all(shown *s, size_t n) {
  for (size_t i = 0; i < n; i++) {
    snug_status status = snug_recording_open(s->ctx, s->paths[i], &s->recordings[i]);
    if (status) {
      return cli_fail_status(s->ctx, status);
    }
    s->n++;
  }
  const snug_recording *const *all = (const snug_recording *const *)s->recordings;
  snug_status status = snug_view_create(s->ctx, all, s->paths, s->n, &s->view);
  return status ? cli_fail_status(s->ctx, status) : CLI_OK;
}

static void close_all(shown *s) {
  snug_view_destroy(s->view);
  for (size_t i = 0; i < s->n; i++) {
    snug_recording_destroy(s->recordings[i]);
  }
  snug_ctx_destroy(s->ctx);
}

/* ---- files ---- */

static void tell_written(const shown *s, const char *path) {
  struct stat info;
  char bytes[SNUG_BYTES_TEXT];
  if (!s->o->common.quiet && stat(path, &info) == 0) {
    fprintf(stderr, "wrote %s, %s\n", path, snug_bytes_text((uint64_t)info.st_size, bytes));
  }
}

static int write_file(const shown *s, const char *path, snug_view_form form) {
  cli_file file;
  int code = cli_file_begin(&file, s->ctx, path, s->o->out.force);
  if (code) {
    return code;
  }
  snug_view_options options = {.struct_size = sizeof options, .sink = to_file, .user = file.stream};
  snug_view_write(s->view, form, &options);
  code = cli_file_end(&file);
  if (!code) {
    tell_written(s, path);
  }
  return code;
}

/* The name that was given, or the stem with an ending. */
static int write_named(const shown *s, const char *given, const char *ending, snug_view_form form) {
  size_t bytes = strlen(s->stem) + strlen(ending) + 1;
  char *path = NULL;
  if (!given) {
    return CLI_OK;
  }
  if (*given) {
    return write_file(s, given, form);
  }
  path = malloc(bytes);
  if (!path) {
    return cli_fail(CLI_FAILURE, "no memory");
  }
  snprintf(path, bytes, "%s%s", s->stem, ending);
  int code = write_file(s, path, form);
  free(path);
  return code;
}

/* ---- the forms that are asked for ---- */

typedef struct form_name {
  snug_view_form form;
  const char *option, *ending;
} form_name;

/* Of two with the same ending the first is meant, unless the other is asked for. */
static const form_name forms[] = {{SNUG_VIEW_HTML, "--html", ".html"},
                                  {SNUG_VIEW_CSV, "--csv", ".csv"},
                                  {SNUG_VIEW_JSON, "--json", ".json"},
                                  {SNUG_VIEW_TRACE, "--trace", ".json"}};
#define FORMS (sizeof forms / sizeof *forms)

/* Whether a form is asked for without a file for it. */
static bool is_open(const view_options *o, snug_view_form form) {
  return form == SNUG_VIEW_HTML    ? o->out.html && !*o->out.html
         : form == SNUG_VIEW_TRACE ? o->out.trace && !*o->out.trace
         : form == SNUG_VIEW_CSV   ? o->out.csv
                                   : o->common.json;
}

/* What -o is to be: the form of its ending that is asked for, else that of its ending, else the
 * only one that is asked for; NULL if that is none. */
static const form_name *form_of_output(const view_options *o) {
  const form_name *of_ending = NULL, *asked = NULL;
  size_t n_asked = 0;
  for (size_t i = 0; i < FORMS; i++) {
    bool fits = cli_ends_in(o->out.output, forms[i].ending);
    if (fits && is_open(o, forms[i].form)) {
      return &forms[i];
    }
    of_ending = fits && !of_ending ? &forms[i] : of_ending;
    asked = is_open(o, forms[i].form) ? &forms[i] : asked;
    n_asked += is_open(o, forms[i].form);
  }
  return of_ending ? of_ending : n_asked == 1 ? asked : NULL;
}

/* Whether a form that is asked for is what -o takes. */
static bool is_output(const view_options *o, snug_view_form form) {
  return o->out.output && is_open(o, form) && form_of_output(o)->form == form;
}

static int fail_form(const view_options *o, const char *verb) {
  char asked[64] = "";
  for (size_t i = 0; i < FORMS; i++) {
    if (is_open(o, forms[i].form)) {
      strcat(strcat(asked, *asked ? ", " : "; here there are "), forms[i].option);
    }
  }
  return cli_fail(
      CLI_USAGE,
      "%s: --output is \"%s\"; what is it to be? It ends in .html, .csv or .json, or is "
      "given with one of --html, --csv, --json and --trace%s",
      verb, o->out.output, asked);
}

static int write_events(const shown *s) {
  const view_outputs *out = &s->o->out;
  snug_status status = snug_view_tensorboard(s->view, out->tensorboard, out->force);
  if (status) {
    return cli_fail_status(s->ctx, status);
  }
  if (!s->o->common.quiet) {
    fprintf(stderr, "wrote event files; see them: tensorboard --logdir ");
    cli_print_argument(out->tensorboard, stderr);
    fputc('\n', stderr);
  }
  return CLI_OK;
}

static int write_files(const shown *s) {
  const view_outputs *out = &s->o->out;
  int code = out->output ? write_file(s, out->output, form_of_output(s->o)->form) : CLI_OK;
  if (!code && !is_output(s->o, SNUG_VIEW_HTML)) {
    code = write_named(s, out->html, ".html", SNUG_VIEW_HTML);
  }
  if (!code && !is_output(s->o, SNUG_VIEW_TRACE)) {
    code = write_named(s, out->trace, ".trace.json", SNUG_VIEW_TRACE);
  }
  return code || !out->tensorboard ? code : write_events(s);
}

/* ---- standard output ---- */

/* What comes next: the page. */
static void next_command(const shown *s, FILE *to) {
  fprintf(to, "snug %s", s->verb);
  for (size_t i = 0; i < s->n; i++) {
    fputc(' ', to);
    cli_print_argument(s->paths[i], to);
  }
  fputs(" --html", to);
}

static void print_text(const shown *s) {
  terminal out = terminal_of(stdout, &s->o->common);
  char *next = NULL;
  size_t bytes = 0;
  FILE *to = s->o->common.quiet ? NULL : open_memstream(&next, &bytes);
  if (to) {
    next_command(s, to);
    fclose(to);
  }
  snug_view_options options = {.struct_size = sizeof options,
                               .sink = to_file,
                               .user = stdout,
                               .ascii = out.ascii,
                               .columns = out.width,
                               .next = next};
  snug_view_write(s->view, SNUG_VIEW_TEXT, &options);
  free(next);
}

static void print(const shown *s) {
  const view_outputs *out = &s->o->out;
  snug_view_form form = out->csv ? SNUG_VIEW_CSV : SNUG_VIEW_JSON;
  snug_view_options options = {.struct_size = sizeof options, .sink = to_file, .user = stdout};
  if (s->o->common.json || out->csv) {
    if (!is_output(s->o, form)) {
      snug_view_write(s->view, form, &options);
    }
  } else if (!out->output && !out->html && !out->trace && !out->tensorboard) {
    print_text(s);
  }
}

/* ---- the whole ---- */

static int check(const view_options *o, const char *verb) {
  if (o->common.json && o->out.csv) {
    return cli_fail(CLI_USAGE, "%s: --json and --csv exclude each other", verb);
  }
  return o->out.output && !form_of_output(o) ? fail_form(o, verb) : CLI_OK;
}

static int judge(const shown *s) {
  const snug_recording *const *all = (const snug_recording *const *)s->recordings;
  return view_judge(&(view_judged){s->ctx, s->view, all, s->n}, &s->o->fail_on);
}

static int broken(const shown *s) {
  size_t n = snug_view_broken(s->view);
  return n ? cli_fail(CLI_EXCEEDED, "--fail-on: %zu of the rules' checks failed", n) : CLI_OK;
}

int view_show(const view_options *o, const char *const *paths, size_t n, const char *stem,
              const char *verb) {
  shown s = {.o = o, .paths = paths, .stem = stem, .verb = verb};
  int code = check(o, verb);
  if (!code && snug_ctx_create(NULL, &s.ctx)) {
    code = cli_fail(CLI_FAILURE, "no memory");
  }
  code = code ? code : open_all(&s, n);
  code = code ? code : judge(&s);
  code = code ? code : write_files(&s);
  if (!code) {
    print(&s);
    code = broken(&s);
  }
  close_all(&s);
  return cli_finish(code);
}

int view_run(const cli_verb *verb, int n_args, char **args,
             int (*run_with)(const view_options *o)) {
  view_options o = {.recording = NULL};
  int code = cli_parse(verb, n_args, args, &o);
  code = code ? code : run_with(&o);
  cli_options_release(verb, &o);
  return code;
}
