/* A model in a process that obeys lines: load, fit, predict, evaluate, save.  The tests in Python
 * drive it, so that hundreds of small models need neither a process nor a file of data each.
 *
 * A line is words between tabs; the answer ends with a line "ok" or "error <code> <message>".  See
 * `commands` for what there is.  Arrays are raw files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snug/snug.h"

#define MAX_ARRAYS 16
#define MAX_WORDS 16
#define MAX_CLASSES 64

typedef struct array_list {
  snug_array item[MAX_ARRAYS];
  int32_t n;
} array_list;

typedef struct out_file {
  char path[1024];
  size_t bytes;
} out_file;

typedef struct driver {
  snug_ctx *ctx;
  snug_model *model;
  array_list x, y, w, val_x, val_y, val_w;
  out_file out[MAX_ARRAYS];
  int32_t n_out;
} driver;

static _Noreturn void quit(const char *why, const char *what) {
  fprintf(stderr, "driver: %s: %s\n", why, what);
  exit(2);
}

static void *get(size_t bytes) {
  void *p = malloc(bytes ? bytes : 1);
  if (!p)
    quit("no memory", "malloc");
  return p;
}

static snug_dtype dtype_of(const char *text) {
  for (int d = SNUG_NO_DTYPE + 1; d < SNUG_DTYPE_COUNT; d++)
    if (!strcmp(text, snug_dtype_text((snug_dtype)d)))
      return (snug_dtype)d;
  quit("no such dtype", text);
}

/* dtype and "4,3" into an array without data; its number of bytes. */
static size_t read_shape(const char *dtype, const char *dims, snug_array *a) {
  *a = (snug_array){.dtype = dtype_of(dtype)};
  size_t bytes = snug_dtype_bytes(a->dtype);
  char *end = NULL;
  for (const char *p = dims; *p; p = *end ? end + 1 : end) {
    if (a->rank == SNUG_MAX_RANK)
      quit("too many axes", dims);
    a->shape[a->rank] = strtoll(p, &end, 10);
    if (end == p)
      quit("not a shape", dims);
    bytes *= (size_t)a->shape[a->rank++];
  }
  return bytes;
}

static void *read_raw(const char *path, size_t bytes) {
  FILE *f = fopen(path, "rb");
  void *data = get(bytes);
  if (!f || fread(data, 1, bytes, f) != bytes)
    quit("cannot read", path);
  fclose(f);
  return data;
}

static void write_raw(const char *path, const void *data, size_t bytes) {
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(data, 1, bytes, f) != bytes || fclose(f))
    quit("cannot write", path);
}

static void forget(array_list *list) {
  for (int32_t i = 0; i < list->n; i++)
    free((void *)list->item[i].data);
  list->n = 0;
}

static array_list *list_of(driver *d, const char *name) {
  if (!strcmp(name, "x"))
    return &d->x;
  if (!strcmp(name, "y"))
    return &d->y;
  if (!strcmp(name, "w"))
    return &d->w;
  if (!strcmp(name, "val_x"))
    return &d->val_x;
  if (!strcmp(name, "val_y"))
    return &d->val_y;
  if (!strcmp(name, "val_w"))
    return &d->val_w;
  quit("no such list", name);
}

static snug_data data_of(const array_list *x, const array_list *y, const array_list *w) {
  return (snug_data){sizeof(snug_data),     x->item, x->n,
                     y->n ? y->item : NULL, y->n,    w->n ? w->item : NULL};
}

static void print_logs(const char *what, const snug_logs *logs) {
  printf("%s", what);
  for (size_t i = 0; i < logs->n; i++)
    printf("\t%s=%.17g", logs->names[i], logs->values[i]);
  printf("\n");
}

/* ---- commands: words[0] is the name, words[n] is NULL ---- */

/* array LIST DTYPE DIMS PATH */
static snug_status add_array(driver *d, char **words) {
  array_list *list = list_of(d, words[1]);
  if (list->n == MAX_ARRAYS)
    quit("too many arrays", words[1]);
  snug_array *a = &list->item[list->n];
  size_t bytes = read_shape(words[2], words[3], a);
  a->data = read_raw(words[4], bytes);
  list->n++;
  return SNUG_OK;
}

/* out DTYPE DIMS PATH: where predict puts its next output */
static snug_status add_out(driver *d, char **words) {
  if (d->n_out == MAX_ARRAYS)
    quit("too many outputs", words[3]);
  out_file *o = &d->out[d->n_out++];
  snug_array a;
  o->bytes = read_shape(words[1], words[2], &a);
  snprintf(o->path, sizeof o->path, "%s", words[3]);
  return SNUG_OK;
}

/* clear: no arrays, no outputs */
static snug_status clear(driver *d, char **words) {
  (void)words;
  array_list *lists[] = {&d->x, &d->y, &d->w, &d->val_x, &d->val_y, &d->val_w};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    forget(lists[i]);
  d->n_out = 0;
  return SNUG_OK;
}

/* load PATH [no_compile]: sizes that the file leaves open are those of x */
static snug_status load(driver *d, char **words) {
  snug_load_options options = SNUG_INIT(snug_load_options);
  options.no_compile = words[2] && !strcmp(words[2], "no_compile");
  options.x = d->x.n ? d->x.item : NULL;
  options.n_x = d->x.n;
  snug_model_destroy(d->model);
  d->model = NULL;
  return snug_model_load(d->ctx, words[1], &options, &d->model);
}

static snug_status weights(driver *d, char **words) {
  return snug_model_load_weights(d->model, words[1]);
}

static snug_status save(driver *d, char **words) { return snug_model_save(d->model, words[1]); }

/* freeze LAYER */
static snug_status freeze(driver *d, char **words) {
  return snug_model_set_trainable(d->model, words[1], false);
}

/* One key=value of fit. */
static void fit_option(const char *word, snug_fit_options *o, double *class_weight) {
  const char *value = strchr(word, '=');
  if (!value)
    quit("not key=value", word);
  int64_t number = strtoll(++value, NULL, 10);
  if (!strncmp(word, "batch_size=", 11))
    o->batch_size = number;
  else if (!strncmp(word, "epochs=", 7))
    o->epochs = number;
  else if (!strncmp(word, "initial_epoch=", 14))
    o->initial_epoch = number;
  else if (!strncmp(word, "steps_per_epoch=", 16))
    o->steps_per_epoch = number;
  else if (!strncmp(word, "validation_split=", 17))
    o->validation_split = strtod(value, NULL);
  else if (!strncmp(word, "class_weight=", 13)) {
    char *end = NULL;
    for (const char *p = value; *p && o->n_class_weight < MAX_CLASSES; p = *end ? end + 1 : end)
      class_weight[o->n_class_weight++] = strtod(p, &end);
    o->class_weight = class_weight;
  } else
    quit("no such option", word);
}

/* fit [key=value ...]: never shuffled; one line of logs per epoch */
static snug_status fit(driver *d, char **words) {
  double class_weight[MAX_CLASSES];
  snug_fit_options options = SNUG_INIT(snug_fit_options);
  options.no_shuffle = true;
  for (char **w = words + 1; *w; w++)
    fit_option(*w, &options, class_weight);
  snug_data data = data_of(&d->x, &d->y, &d->w);
  snug_data validation = data_of(&d->val_x, &d->val_y, &d->val_w);
  if (d->val_x.n)
    options.validation_data = &validation;
  snug_history *history = NULL;
  snug_status s = snug_fit(d->model, &data, &options, &history);
  for (int64_t e = 0; !s && e < snug_history_epochs(history); e++) {
    snug_logs logs = snug_history_logs(history, e);
    print_logs("epoch", &logs);
  }
  snug_history_destroy(history);
  return s;
}

/* predict BATCH_SIZE */
static snug_status predict(driver *d, char **words) {
  void *out[MAX_ARRAYS];
  for (int32_t i = 0; i < d->n_out; i++)
    out[i] = get(d->out[i].bytes);
  snug_data data = {sizeof data, d->x.item, d->x.n, NULL, 0, NULL};
  snug_status s = snug_predict(d->model, &data, strtoll(words[1], NULL, 10), out, d->n_out);
  for (int32_t i = 0; i < d->n_out; i++) {
    if (!s)
      write_raw(d->out[i].path, out[i], d->out[i].bytes);
    free(out[i]);
  }
  d->n_out = 0;
  return s;
}

/* evaluate BATCH_SIZE: one line of logs */
static snug_status evaluate(driver *d, char **words) {
  snug_logs logs = snug_model_metrics(d->model);
  double *values = get(logs.n * sizeof *values);
  snug_data data = data_of(&d->x, &d->y, &d->w);
  snug_status s = snug_evaluate(d->model, &data, strtoll(words[1], NULL, 10), values, logs.n);
  logs.values = values;
  if (!s)
    print_logs("evaluate", &logs);
  free(values);
  return s;
}

static const struct {
  const char *name;
  int words; /* at least, without the name */
  bool needs_model;
  snug_status (*run)(driver *d, char **words);
} commands[] = {
    {"array", 4, false, add_array},  {"out", 3, false, add_out},    {"clear", 0, false, clear},
    {"load", 1, false, load},        {"weights", 1, true, weights}, {"save", 1, true, save},
    {"freeze", 1, true, freeze},     {"fit", 0, true, fit},         {"predict", 1, true, predict},
    {"evaluate", 1, true, evaluate},
};

static snug_status obey(driver *d, char **words, int n) {
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(words[0], commands[i].name))
      continue;
    if (n - 1 < commands[i].words)
      quit("words are missing", words[0]);
    if (commands[i].needs_model && !d->model)
      return SNUG_E_STATE;
    return commands[i].run(d, words);
  }
  quit("no such command", words[0]);
}

static int split(char *line, char **words) {
  int n = 0;
  line[strcspn(line, "\n")] = 0;
  for (char *save_at = NULL, *w = strtok_r(line, "\t", &save_at); w && n < MAX_WORDS - 1;
       w = strtok_r(NULL, "\t", &save_at))
    words[n++] = w;
  words[n] = NULL;
  return n;
}

int main(void) {
  driver *d = calloc(1, sizeof *d);
  if (!d || snug_ctx_create(NULL, &d->ctx))
    quit("no context", "snug_ctx_create");
  static char line[16384];
  while (fgets(line, sizeof line, stdin)) {
    char *words[MAX_WORDS];
    int n = split(line, words);
    snug_status s = n ? obey(d, words, n) : SNUG_OK;
    if (s)
      printf("error %d %s\n", (int)s, snug_message(d->ctx));
    else
      printf("ok\n");
    fflush(stdout);
  }
  clear(d, NULL);
  snug_model_destroy(d->model);
  snug_ctx_destroy(d->ctx);
  free(d);
  return 0;
}
