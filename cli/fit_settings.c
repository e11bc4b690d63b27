/* The options that the result of a fit depends on and that the library does not see as such: how
 * data are read.  A backup keeps them, and names the one that has changed. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fit.h"

#define TEXT_BYTES 512

static const char *const deciding[] = {"sample-weight",
                                       "label",
                                       "on-error",
                                       "image-size",
                                       "image-dtype",
                                       "color-mode",
                                       "interpolation",
                                       "rescale",
                                       "normalize",
                                       "labels",
                                       "crop-to-aspect-ratio",
                                       "pad-to-aspect-ratio",
                                       "fast-decode",
                                       "augment",
                                       "validation-split",
                                       "shuffle-window"};

static bool decides(const cli_option *o) {
  for (size_t i = 0; o->name && i < sizeof deciding / sizeof *deciding; i++) {
    if (strcmp(o->name, deciding[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* A file may be moved, so it is known by its name and size: "train.npz (1234 bytes)". */
static void describe_file(const char *path, char text[TEXT_BYTES]) {
  const char *slash = strrchr(path, '/');
  const char *name = slash && slash[1] ? slash + 1 : path;
  struct stat info;
  if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
    snprintf(text, TEXT_BYTES, "%s (%lld bytes)", name, (long long)info.st_size);
  } else {
    snprintf(text, TEXT_BYTES, "%s", name);
  }
}

static int add(fit_run *r, const char *name, const char *value) {
  int code = cli_list_add(&r->settings_text, name);
  return code ? code : cli_list_add(&r->settings_text, value);
}

static int add_files(fit_run *r, const char *name, const cli_list *files) {
  char text[TEXT_BYTES];
  int code = CLI_OK;
  for (int32_t i = 0; i < files->n && !code; i++) {
    describe_file(files->items[i], text);
    code = add(r, name, text);
  }
  return code;
}

/* As it would be typed: a flag without a value is "given". */
static int add_option(fit_run *r, const cli_option *option) {
  static const fit_options usual = {FIT_DEFAULTS};
  const cli_verb one = {.options = option, .n_options = 1};
  cli_list args = {0};
  int code = cli_unparse(&one, r->options, &usual, &args);
  if (!code && args.n) {
    code = add(r, args.items[0], args.n > 1 ? args.items[1] : "given");
  }
  cli_list_release(&args);
  return code;
}

static int add_all(fit_run *r) {
  int code = add_files(r, "--data", &r->options->job.data);
  code = code ? code : add_files(r, "--validation-data", &r->options->validation_data);
  for (size_t i = 0; i < cli_verb_fit.n_options && !code; i++) {
    const cli_option *option = &cli_verb_fit.options[i];
    code = decides(option) ? add_option(r, option) : CLI_OK;
  }
  return code;
}

int fit_add_settings(fit_run *r) {
  int code = r->options->backup ? add_all(r) : CLI_OK;
  size_t n = (size_t)r->settings_text.n / 2;
  if (code || n == 0) {
    return code;
  }
  r->settings = calloc(n, sizeof *r->settings);
  if (!r->settings) {
    return cli_fail(CLI_FAILURE, "no memory for %zu options", n);
  }
  for (size_t i = 0; i < n; i++) {
    r->settings[i] =
        (snug_setting){r->settings_text.items[2 * i], r->settings_text.items[2 * i + 1]};
  }
  r->fit.settings = r->settings;
  r->fit.n_settings = (int32_t)n;
  return CLI_OK;
}

void fit_end_settings(fit_run *r) {
  cli_list_release(&r->settings_text);
  free(r->settings);
}
