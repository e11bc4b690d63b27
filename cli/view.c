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
  int code = cli_file_begin(&file, path, s->o->out.force);
  if (code) {
    return code;
  }
  snug_view_options options = {.sink = to_file, .user = file.stream};
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

static bool form_of(const char *path, snug_view_form *form) {
  *form = cli_ends_in(path, ".html")  ? SNUG_VIEW_HTML
          : cli_ends_in(path, ".csv") ? SNUG_VIEW_CSV
                                      : SNUG_VIEW_JSON;
  return *form != SNUG_VIEW_JSON || cli_ends_in(path, ".json");
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
  snug_view_form form = SNUG_VIEW_HTML;
  if (out->output) {
    form_of(out->output, &form);
  }
  int code = write_named(s, out->output, "", form);
  code = code ? code : write_named(s, out->html, ".html", SNUG_VIEW_HTML);
  code = code ? code : write_named(s, out->trace, ".trace.json", SNUG_VIEW_TRACE);
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
  snug_view_options options = {
      .sink = to_file, .user = stdout, .ascii = out.ascii, .columns = out.width, .next = next};
  snug_view_write(s->view, SNUG_VIEW_TEXT, &options);
  free(next);
}

static void print(const shown *s) {
  const view_outputs *out = &s->o->out;
  snug_view_options options = {.sink = to_file, .user = stdout};
  if (s->o->common.json || out->csv) {
    snug_view_write(s->view, out->csv ? SNUG_VIEW_CSV : SNUG_VIEW_JSON, &options);
  } else if (!out->output && !out->html && !out->trace && !out->tensorboard) {
    print_text(s);
  }
}

/* ---- the whole ---- */

static int check(const view_options *o, const char *verb) {
  snug_view_form form;
  if (o->common.json && o->out.csv) {
    return cli_fail(CLI_USAGE, "%s: --json and --csv exclude each other", verb);
  }
  if (o->out.output && !form_of(o->out.output, &form)) {
    return cli_fail(CLI_USAGE, "%s: --output is \"%s\"; it ends in .html, .csv or .json", verb,
                    o->out.output);
  }
  return CLI_OK;
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
