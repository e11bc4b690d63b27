/* What may have been meant by a word that is none of ours: what it is called elsewhere, or the
 * nearest by its letters. */
#include <string.h>
#include <strings.h>

#include "options.h"

/* As other programs and people call it. */
static const struct {
  const char *name, *ours;
} others[] = {
    /* verbs */
    {"train", "fit"},
    {"run", "fit"},
    {"learn", "fit"},
    {"test", "evaluate"},
    {"eval", "evaluate"},
    {"score", "evaluate"},
    {"infer", "predict"},
    {"inference", "predict"},
    {"estimate", "plan"},
    {"estimate-memory", "plan"},
    {"profile", "watch"},
    {"monitor", "watch"},
    {"exec", "watch"},
    {"info", "summary"},
    {"show", "summary"},
    {"inspect", "summary"},
    {"new", "init"},
    {"create", "init"},
    {"diff", "compare"},
    {"view", "report"},
    /* options */
    {"lr", "learning-rate"},
    {"learning_rate", "learning-rate"},
    {"bs", "batch-size"},
    {"bsz", "batch-size"},
    {"num-epochs", "epochs"},
    {"max-epochs", "epochs"},
    {"steps", "steps-per-epoch"},
    {"mem", "memory"},
    {"ram", "memory"},
    {"limit", "memory"},
    {"budget", "memory"},
    {"max-memory", "memory"},
    {"memory-limit", "memory"},
    {"line", "memory"},
    {"val", "validation-data"},
    {"val-data", "validation-data"},
    {"val-split", "validation-split"},
    {"out", "output"},
    {"save", "output"},
    {"num-workers", "workers"},
    {"jobs", "threads"},
    {"num-threads", "threads"},
    {"patience", "early-stopping"},
    {"resume", "backup"},
    {"remat", "recompute"},
    {"checkpointing", "recompute"},
    {"accumulate", "micro-batch"},
    {"gradient-accumulation-steps", "micro-batch"},
    {"augmentation", "augment"},
    {"image_size", "image-size"},
    {"overwrite", "force"},
    {"yes", "force"},
    {"silent", "quiet"},
};

#define MAX_NAME 48

static int least(int a, int b, int c) {
  int m = a < b ? a : b;
  return m < c ? m : c;
}

/* Letters to change, add or leave out on the way from one to the other. */
static int distance(const char *a, const char *b) {
  int row[MAX_NAME + 1];
  int n = (int)strlen(b);
  for (int k = 0; k <= n; k++) {
    row[k] = k;
  }
  for (int i = 0; a[i]; i++) {
    int diagonal = row[0];
    row[0] = i + 1;
    for (int k = 0; k < n; k++) {
      int above = row[k + 1];
      row[k + 1] = least(above + 1, row[k] + 1, diagonal + (a[i] != b[k]));
      diagonal = above;
    }
  }
  return row[n];
}

static const char *find(const char *name, const char *const *names, size_t n) {
  size_t i = 0;
  while (i < n && strcmp(names[i], name) != 0) {
    i++;
  }
  return i < n ? names[i] : NULL;
}

static const char *known_elsewhere(const char *wrong, const char *const *names, size_t n) {
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    const char *ours =
        strcasecmp(others[i].name, wrong) == 0 ? find(others[i].ours, names, n) : NULL;
    if (ours) {
      return ours;
    }
  }
  return NULL;
}

static const char *nearest(const char *wrong, const char *const *names, size_t n) {
  const char *best = NULL;
  size_t length = strlen(wrong);
  int limit = length < 3 ? 1 : length < 6 ? 2 : 3;
  for (size_t i = 0; i < n && length > 0 && length <= MAX_NAME; i++) {
    bool begins = length >= 3 && strncmp(names[i], wrong, length) == 0;
    int far = strlen(names[i]) > MAX_NAME ? limit + 1 : begins ? 1 : distance(wrong, names[i]);
    if (far <= limit) {
      limit = far - 1;
      best = names[i];
    }
  }
  return best;
}

const char *cli_nearest(const char *wrong, const char *const *names, size_t n) {
  const char *known = known_elsewhere(wrong, names, n);
  return known ? known : nearest(wrong, names, n);
}
