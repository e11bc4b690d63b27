/* The files of a fit, as its backup keeps them, and which of them the run that is gone on with has
 * written. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fit.h"

const char *fit_output_path(const fit_options *o, fit_output which) {
  const char *const paths[FIT_OUTPUTS] = {[FIT_MODEL] = o->output,
                                          [FIT_CSV_LOG] = o->csv_log,
                                          [FIT_MEMORY_LOG] = o->memory_log,
                                          [FIT_RECORD] = o->record,
                                          [FIT_CHECKPOINT] = o->checkpoint};
  return paths[which];
}

static bool has_backup(const fit_options *o) {
  char path[SNUG_PATH_BYTES];
  struct stat info;
  int n = snprintf(path, sizeof path, "%s/%s", o->backup ? o->backup : "", SNUG_BACKUP_FILE);
  return o->backup && n < (int)sizeof path && stat(path, &info) == 0;
}

/* As a backup keeps it: another run may stand in another folder.  Owns: the caller's, by free; NULL
 * if there is no memory. */
static char *full_path(const char *path) {
  char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0);
  size_t n = (folder ? strlen(folder) : 0) + strlen(path) + 2;
  char *full = malloc(n);
  if (full) {
    snprintf(full, n, "%s%s%s", folder ? folder : "", folder ? "/" : "", path);
  }
  free(folder);
  return full;
}

static int find_one(snug_ctx *ctx, const fit_options *o, const char *path, bool *is_own) {
  char *full = full_path(path);
  snug_status s = full ? snug_backup_names(ctx, o->backup, full, is_own) : SNUG_E_MEMORY;
  int code = !full ? cli_fail(CLI_FAILURE, "no memory for a path")
             : s   ? cli_fail_status(ctx, s)
                   : CLI_OK;
  free(full);
  return code;
}

int fit_find_own(const fit_options *o, bool is_own[FIT_OUTPUTS]) {
  snug_ctx *ctx = NULL;
  int code = CLI_OK;
  memset(is_own, 0, FIT_OUTPUTS * sizeof *is_own);
  if (!has_backup(o)) {
    return CLI_OK;
  }
  if (snug_ctx_create(NULL, &ctx)) {
    return cli_fail(CLI_FAILURE, "no memory");
  }
  for (fit_output i = 0; i < FIT_OUTPUTS && !code; i++) {
    const char *path = fit_output_path(o, i);
    code = path ? find_one(ctx, o, path, &is_own[i]) : CLI_OK;
  }
  snug_ctx_destroy(ctx);
  return code;
}

int fit_add_outputs(fit_run *r) {
  int code = CLI_OK;
  for (fit_output i = 0; i < FIT_OUTPUTS && r->options->backup && !code; i++) {
    const char *path = fit_output_path(r->options, i);
    char *full = path ? full_path(path) : NULL;
    code = !path  ? CLI_OK
           : full ? cli_list_add(&r->outputs, full)
                  : cli_fail(CLI_FAILURE, "no memory for a path");
    free(full);
  }
  r->fit.outputs = r->outputs.items;
  r->fit.n_outputs = r->outputs.n;
  return code;
}

void fit_end_outputs(fit_run *r) { cli_list_release(&r->outputs); }
