/* Memory against time over all points of a plan. */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

#define ROWS 14
#define MOST_COLUMNS 64
#define LEAST_COLUMNS 24
#define AXIS_COLUMNS 11
#define SHOWN_POINTS 16
#define TEXT_BYTES 256

/* ---- the table ---- */

static void print_point(const plan_view *v, size_t i) {
  snug_plan_point p = SNUG_INIT(snug_plan_point);
  char bytes[SNUG_BYTES_TEXT], time[32], more[32], how[TEXT_BYTES];
  snug_plan_point_at(v->plan, i, &p);
  printf("%s %10s  %9s  %7s  %s\n", i == v->chosen ? ">" : " ", snug_bytes_text(p.process, bytes),
         terminal_time(p.seconds, time, sizeof time),
         i ? plan_more(p.seconds, v->fastest.seconds, more, sizeof more) : "",
         plan_how(&p, &v->fastest, "nothing given up", how, sizeof how));
}

/* All of them, or some that lie evenly, the ends and the chosen one among them. */
static void print_table(const plan_view *v) {
  size_t shown = 0;
  printf("\n  %10s  %9s  %7s  %s\n", "line", "step", "", "how");
  for (size_t i = 0; i < v->n_points; i++) {
    size_t due = v->n_points > 1 ? i * (SHOWN_POINTS - 1) / (v->n_points - 1) : 0;
    bool is_due = i == 0 || due > shown;
    if (v->n_points <= SHOWN_POINTS || is_due || i == v->chosen) {
      print_point(v, i);
    }
    shown = due > shown ? due : shown;
  }
  if (v->n_points > SHOWN_POINTS) {
    printf("  of %zu plans; -o curve.csv has them all\n", v->n_points);
  }
}

/* ---- the picture ---- */

typedef enum mark { MARK_NONE, MARK_LINE, MARK_CURVE, MARK_CHOSEN } mark;

typedef struct picture {
  size_t columns;
  double least, most, fastest, slowest; /* bytes, seconds */
  unsigned char cells[ROWS][MOST_COLUMNS];
} picture;

static size_t place(double value, double from, double to, size_t n) {
  double at = to > from ? (value - from) / (to - from) * (double)(n - 1) + 0.5 : 0.0;
  return at < 0.0 ? 0 : at < (double)n ? (size_t)at : n - 1;
}

static size_t column_of(const picture *p, uint64_t bytes) {
  return place((double)bytes, p->least, p->most, p->columns);
}

static size_t row_of(const picture *p, double seconds) {
  return ROWS - 1 - place(seconds, p->fastest, p->slowest, ROWS);
}

/* A step of the curve: from a point on, more memory changes nothing up to the next one. */
static void draw_step(picture *p, const snug_plan_point *at, uint64_t until) {
  size_t row = row_of(p, at->seconds);
  for (size_t c = column_of(p, at->process); c <= column_of(p, until); c++) {
    p->cells[row][c] = MARK_CURVE;
  }
}

static void draw_points(const plan_view *v, picture *p) {
  snug_plan_point before = {.struct_size = sizeof before, .process = (uint64_t)p->most};
  for (size_t i = 0; i < v->n_points; i++) {
    snug_plan_point at = SNUG_INIT(snug_plan_point);
    snug_plan_point_at(v->plan, i, &at);
    draw_step(p, &at, before.process);
    for (size_t r = row_of(p, at.seconds); i > 0 && r <= row_of(p, before.seconds); r++) {
      p->cells[r][column_of(p, before.process)] = MARK_CURVE;
    }
    before = at;
  }
  if (v->chosen < v->n_points) {
    p->cells[row_of(p, v->point.seconds)][column_of(p, v->point.process)] = MARK_CHOSEN;
  }
}

static void draw_line(const plan_view *v, picture *p) {
  double line = (double)v->run->line.bytes;
  for (size_t r = 0; line >= p->least && line <= p->most && r < ROWS; r++) {
    p->cells[r][column_of(p, v->run->line.bytes)] = MARK_LINE;
  }
}

static void print_row(const plan_view *v, const picture *p, size_t row) {
  static const char *const plain[] = {" ", "|", "*", "@"};
  static const char *const drawn[] = {" ", "┊", "•", "◉"};
  static const char *const colours[] = {"", "\x1b[33m", "\x1b[36m", "\x1b[32m"};
  size_t n = p->columns;
  while (n > 0 && p->cells[row][n - 1] == MARK_NONE) {
    n--;
  }
  for (size_t c = 0; c < n; c++) {
    unsigned char m = p->cells[row][c];
    bool coloured = v->run->out.colour && m;
    printf("%s%s%s", coloured ? colours[m] : "", v->run->out.ascii ? plain[m] : drawn[m],
           coloured ? "\x1b[0m" : "");
  }
  putchar('\n');
}

static void print_rows(const plan_view *v, const picture *p) {
  char time[32];
  for (size_t r = 0; r < ROWS; r++) {
    double seconds = r == 0 ? p->slowest : r == ROWS - 1 ? p->fastest : 0.0;
    printf("%*s %s", AXIS_COLUMNS - 2, seconds > 0.0 ? terminal_time(seconds, time, 32) : "",
           v->run->out.ascii ? "|" : "│");
    print_row(v, p, r);
  }
}

static void print_axis(const plan_view *v, const picture *p) {
  char least[SNUG_BYTES_TEXT], most[SNUG_BYTES_TEXT];
  printf("%*s%s", AXIS_COLUMNS - 1, "", v->run->out.ascii ? "+" : "└");
  for (size_t c = 0; c < p->columns; c++) {
    fputs(v->run->out.ascii ? "-" : "─", stdout);
  }
  snug_bytes_text((uint64_t)p->least, least);
  snug_bytes_text((uint64_t)p->most, most);
  printf("\n%*s%s%*s\n", AXIS_COLUMNS, "", least, (int)(p->columns - strlen(least)), most);
}

static void print_picture(const plan_view *v) {
  picture p = {.columns = v->run->out.width > AXIS_COLUMNS + LEAST_COLUMNS
                              ? v->run->out.width - AXIS_COLUMNS - 1
                              : LEAST_COLUMNS};
  snug_plan_point last = SNUG_INIT(snug_plan_point);
  snug_plan_point_at(v->plan, v->n_points - 1, &last);
  p.columns = p.columns < MOST_COLUMNS ? p.columns : MOST_COLUMNS;
  p.least = (double)last.process;
  p.most = (double)v->fastest.process;
  p.fastest = v->fastest.seconds;
  p.slowest = last.seconds;
  draw_line(v, &p);
  draw_points(v, &p);
  puts("\nseconds of a step over the memory of the process");
  print_rows(v, &p);
  print_axis(v, &p);
}

void plan_print_curve(const plan_view *v) {
  if (v->n_points < 2) {
    puts("\nThere is one plan: the curve is a point.");
    return;
  }
  print_picture(v);
  print_table(v);
}

/* ---- files ---- */

static void write_csv(const plan_view *v, FILE *out) {
  fputs(
      "process,block,seconds,micro_batch,recomputed,recompute_seconds,direct,direct_seconds,"
      "on_disk,slots,disk_seconds\r\n",
      out);
  for (size_t i = 0; i < v->n_points; i++) {
    snug_plan_point p = SNUG_INIT(snug_plan_point);
    snug_plan_point_at(v->plan, i, &p);
    fprintf(out, "%llu,%llu,%.9g,%lld,%lld,%.9g,%lld,%.9g,%llu,%llu,%.9g\r\n",
            (unsigned long long)p.process, (unsigned long long)p.block, p.seconds,
            (long long)p.micro_batch, (long long)p.recomputed, p.recompute_seconds,
            (long long)p.direct, p.direct_seconds, (unsigned long long)p.on_disk,
            (unsigned long long)p.slots, p.disk_seconds);
  }
}

static void write_json(const plan_view *v, FILE *out) {
  json j = plan_begin_json(v, out);
  json_finish(&j);
}

int plan_write_curve(const plan_view *v, const char *path, bool force) {
  cli_file file;
  int code = cli_file_begin(&file, v->run->job.ctx, path, force);
  if (code) {
    return code;
  }
  if (cli_ends_in(path, ".csv")) {
    write_csv(v, file.stream);
  } else if (cli_ends_in(path, ".json")) {
    write_json(v, file.stream);
  } else {
    plan_write_html(v, file.stream);
  }
  return cli_file_end(&file);
}
