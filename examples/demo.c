/* Trains a small convolutional network on Fashion-MNIST and says what memory it took.
 *
 *   demo [--epochs N] [--folder DIR]
 *
 * The data set is Debian's package dataset-fashion-mnist. */
#define _POSIX_C_SOURCE 200809L
#include <langinfo.h>
#include <locale.h>
#include <snug/snug.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define CLASSES 10
#define SIDE 28
#define FOLDER "/usr/share/datasets/fashion-mnist"

/* ---- the data ---- */

typedef struct images {
  unsigned char *pixels, *labels; /* [n, 28, 28] and [n] */
  int64_t n;
} images;

static uint32_t big_endian(const unsigned char b[4]) {
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Read the payload of a gzip'ed IDX file of bytes with `rank` axes; *n is the first axis.  NULL:
 * not such a file. */
static unsigned char *read_idx(const char *folder, const char *name, unsigned rank, int64_t item,
                               int64_t *n) {
  char path[1024];
  unsigned char header[16];
  unsigned char *bytes = NULL;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  gzFile file = gzopen(path, "rb");
  unsigned header_bytes = 4 + 4 * rank;
  if (file && gzread(file, header, header_bytes) == (int)header_bytes &&
      big_endian(header) == (0x0800u | rank)) {
    *n = big_endian(header + 4);
    bytes = *n > 0 && *n < 1000000 ? malloc((size_t)(*n * item)) : NULL;
    if (bytes && gzread(file, bytes, (unsigned)(*n * item)) != (int)(*n * item)) {
      free(bytes);
      bytes = NULL;
    }
  }
  if (file) {
    gzclose(file);
  }
  if (!bytes) {
    fprintf(stderr,
            "demo: cannot read %s: it is in the package dataset-fashion-mnist, which ./setup.sh "
            "installs;\n      --folder DIR names another place with the four files\n",
            path);
  }
  return bytes;
}

static int read_images(const char *folder, const char *part, images *out) {
  char name[64];
  int64_t labels = 0;
  snprintf(name, sizeof name, "%s-images-idx3-ubyte.gz", part);
  out->pixels = read_idx(folder, name, 3, SIDE * SIDE, &out->n);
  snprintf(name, sizeof name, "%s-labels-idx1-ubyte.gz", part);
  out->labels = out->pixels ? read_idx(folder, name, 1, 1, &labels) : NULL;
  if (out->labels && labels != out->n) {
    fprintf(stderr, "demo: %s/%s has %lld labels for %lld images\n", folder, name,
            (long long)labels, (long long)out->n);
  }
  return out->labels && labels == out->n;
}

static void free_images(images *i) {
  free(i->pixels);
  free(i->labels);
}

/* ---- the model ---- */

static snug_status build(snug_model *m) {
  static const char *const loss[] = {"sparse_categorical_crossentropy"};
  static const char *const metrics[] = {"accuracy"};
  const int64_t shape[] = {SIDE, SIDE, 1};
  snug_compile_options how = SNUG_COMPILE_OPTIONS_DEFAULT;
  snug_model_input(m, "image", SNUG_FLOAT32, shape, 3);
  snug_model_add(m, "Rescaling", "scale=0.00392156862745098");
  snug_model_add(m, "Conv2D", "filters=8 kernel_size=3 activation=relu");
  snug_model_add(m, "MaxPooling2D", NULL);
  snug_model_add(m, "Conv2D", "filters=16 kernel_size=3 activation=relu");
  snug_model_add(m, "MaxPooling2D", NULL);
  snug_model_add(m, "Flatten", NULL);
  snug_model_add(m, "Dropout", "rate=0.2");
  snug_model_add(m, "Dense", "units=10 activation=softmax");
  how.optimizer = "adam";
  how.loss = loss;
  how.n_loss = 1;
  how.metrics = metrics;
  how.n_metrics = 1;
  return snug_model_compile(m, &how);
}

/* ---- what is seen ---- */

static void to_stdout(void *user, const char *text, size_t n) {
  (void)user;
  fwrite(text, 1, n, stdout);
  fflush(stdout);
}

/* A terminal that can draw over what it shows. */
static bool is_terminal(void) {
  const char *term = getenv("TERM");
  return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

static bool has_colour(void) {
  const char *no = getenv("NO_COLOR");
  return is_terminal() && !(no && *no);
}

/* The highest resident memory of this process so far, in bytes; 0 if it cannot be told. */
static uint64_t resident_peak(void) {
  char line[256];
  unsigned long long kib = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f) && sscanf(line, "VmHWM: %llu", &kib) != 1) {
  }
  if (f) {
    fclose(f);
  }
  return (uint64_t)kib * 1024;
}

/* Cut a text at a separator so that the first piece has at most so many bytes; returns the rest, ""
 * if there is none. */
static const char *cut(char *text, const char *separator, size_t most) {
  char *place = NULL;
  size_t length = strlen(text);
  for (char *p = strstr(text, separator); length > most && p && (size_t)(p - text) <= most;
       p = strstr(p + 1, separator)) {
    place = p;
  }
  if (!place) {
    return "";
  }
  *place = '\0';
  return place + strlen(separator);
}

static void show_box(const snug_memory_report *r, double accuracy, int64_t tested, bool ascii) {
  char title[128], result[96], peak[128], parts[256], process[96];
  char a[SNUG_BYTES_TEXT], b[SNUG_BYTES_TEXT];
  snprintf(title, sizeof title, "peak %s, planned %s: %s", snug_bytes_text(r->measured, a),
           snug_bytes_text(r->planned, b),
           r->measured == r->planned ? "equal to the byte" : "NOT equal");
  snprintf(result, sizeof result, "%.4f on %lld test images", accuracy, (long long)tested);
  snprintf(peak, sizeof peak, "planned %llu bytes, measured %llu bytes",
           (unsigned long long)r->planned, (unsigned long long)r->measured);
  snug_memory_text(r, ascii, parts, sizeof parts);
  snprintf(process, sizeof process, "%s resident at most, the data set and libraries included",
           snug_bytes_text(resident_peak(), a));
  const char *more = cut(parts, ascii ? ", " : " · ", 64); /* the box fits into 80 columns */
  snug_box_row rows[5] = {{"accuracy", result}, {"peak", peak}, {"what", parts}};
  size_t n = 3;
  if (*more) {
    rows[n++] = (snug_box_row){"", more};
  }
  rows[n++] = (snug_box_row){"process", process};
  snug_box(to_stdout, NULL, ascii, title, rows, n);
}

/* ---- the run ---- */

static snug_array pixels_of(const images *i) {
  return (snug_array){i->pixels, SNUG_UINT8, 4, {i->n, SIDE, SIDE, 1}};
}

static snug_array labels_of(const images *i) {
  return (snug_array){i->labels, SNUG_UINT8, 1, {i->n}};
}

/* What the fit will take, said before its first step. */
static snug_status show_plan(snug_model *m, const snug_data *data, const snug_fit_options *o) {
  snug_plan *plan = NULL;
  snug_memory_report r;
  char text[SNUG_BYTES_TEXT];
  snug_status s = snug_plan_fit(m, data, o, &plan);
  snug_plan_memory(plan, &r);
  snug_plan_destroy(plan);
  if (!s) {
    printf("Plan: training on %lld images in batches of %lld takes %s.\n",
           (long long)data->x[0].shape[0], (long long)o->batch_size,
           snug_bytes_text(r.planned, text));
    fflush(stdout);
  }
  return s;
}

static snug_status run(snug_ctx *ctx, const images *train, const images *test, int64_t epochs) {
  snug_array x = pixels_of(train), y = labels_of(train), test_x = pixels_of(test),
             test_y = labels_of(test);
  snug_data data = {&x, 1, &y, 1, NULL}, test_data = {&test_x, 1, &test_y, 1, NULL};
  snug_fit_options o = SNUG_FIT_OPTIONS_DEFAULT;
  snug_progress progress = {.sink = to_stdout, .bar = is_terminal(), .colour = has_colour()};
  snug_history *history = NULL;
  snug_model *m = NULL;
  double values[2] = {0, 0};
  progress.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
  snug_callback show = snug_progress_callback(&progress);
  o.batch_size = 64;
  o.epochs = epochs;
  o.validation_split = 0.1;
  o.callbacks = &show;
  o.n_callbacks = 1;
  snug_status s = snug_model_create(ctx, NULL, &m);
  s = s ? s : build(m);
  s = s ? s : show_plan(m, &data, &o);
  s = s ? s : snug_fit(m, &data, &o, &history);
  s = s ? s : snug_evaluate(m, &test_data, 64, values, 2);
  if (!s) {
    snug_memory_report r;
    snug_logs names = snug_model_metrics(m);
    names.values = values;
    snug_history_memory(history, &r);
    show_box(&r, snug_logs_get(&names, "accuracy"), test->n, progress.ascii);
  }
  snug_history_destroy(history);
  snug_model_destroy(m);
  return s;
}

static int usage(FILE *to, int code) {
  fputs(
      "usage: demo [--epochs N] [--folder DIR]\n"
      "  --epochs N    passes over the data (3)\n"
      "  --folder DIR  where the four files of Fashion-MNIST are "
      "(" FOLDER ")\n",
      to);
  return code;
}

int main(int argc, char **argv) {
  const char *folder = FOLDER;
  images train = {0}, test = {0};
  snug_ctx *ctx = NULL;
  int64_t epochs = 3;
  snug_status s = SNUG_E_IO;
  setlocale(LC_ALL, "");
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 < argc && strcmp(argv[i], "--epochs") == 0 && atoll(argv[i + 1]) > 0) {
      epochs = atoll(argv[i + 1]);
    } else if (i + 1 < argc && strcmp(argv[i], "--folder") == 0) {
      folder = argv[i + 1];
    } else {
      bool asked = strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
      return usage(asked ? stdout : stderr, asked ? 0 : 2);
    }
  }
  if (read_images(folder, "train", &train) && read_images(folder, "t10k", &test)) {
    s = snug_ctx_create(NULL, &ctx);
    s = s ? s : run(ctx, &train, &test, epochs);
    if (s) {
      fprintf(stderr, "demo: %s\n",
              ctx && snug_message(ctx)[0] ? snug_message(ctx) : snug_status_text(s));
    }
  }
  snug_ctx_destroy(ctx);
  free_images(&train);
  free_images(&test);
  return s ? 1 : 0;
}
