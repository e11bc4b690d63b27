/* The curve as one page that needs nothing else: the picture is SVG, there is no script. */
#include <string.h>

#include "plan.h"

#define WIDTH 860.0
#define HEIGHT 400.0
#define LEFT 90.0
#define RIGHT 40.0
#define TOP 20.0
#define BOTTOM 50.0
#define TEXT_BYTES 256
#define TICKS 5

typedef struct picture {
  FILE *out;
  double least, most, fastest, slowest; /* what the axes span: bytes, seconds */
} picture;

static void to_file(void *file, const char *text, size_t n) { fwrite(text, 1, n, file); }

/* Names of files and layers may hold anything. */
static void put_text(FILE *out, const char *text) {
  snug_quote(to_file, out, SNUG_QUOTE_HTML, text, strlen(text));
}

/* ---- the picture ---- */

static double x_of(const picture *p, double bytes) {
  return LEFT + (bytes - p->least) / (p->most - p->least) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const picture *p, double seconds) {
  return HEIGHT - BOTTOM -
         (seconds - p->fastest) / (p->slowest - p->fastest) * (HEIGHT - TOP - BOTTOM);
}

static void put_ticks(const picture *p) {
  char text[SNUG_BYTES_TEXT];
  for (int i = 0; i <= TICKS; i++) {
    double part = (double)i / TICKS;
    double bytes = p->least + part * (p->most - p->least);
    double seconds = p->fastest + part * (p->slowest - p->fastest);
    fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
            x_of(p, bytes), HEIGHT - BOTTOM + 20.0, snug_bytes_text((uint64_t)bytes, text));
    fprintf(p->out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
            LEFT, WIDTH - RIGHT, y_of(p, seconds), y_of(p, seconds));
    fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 8.0,
            y_of(p, seconds) + 4.0, terminal_time(seconds, text, sizeof text));
  }
  fprintf(p->out,
          "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">memory of the process</text>\n",
          (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8.0);
}

/* Steps: with more memory than a plan needs nothing changes, up to the next faster one. */
static void put_steps(const picture *p, const plan_view *v) {
  double x = WIDTH - RIGHT;
  fputs("<path class=\"curve\" d=\"", p->out);
  for (size_t i = 0; i < v->n_points; i++) {
    snug_plan_point at = SNUG_INIT(snug_plan_point);
    snug_plan_point_at(v->plan, i, &at);
    fprintf(p->out, "%c%.1f %.1f", i ? 'L' : 'M', x, y_of(p, at.seconds));
    x = x_of(p, (double)at.process);
    fprintf(p->out, "L%.1f %.1f", x, y_of(p, at.seconds));
  }
  fputs("\"/>\n", p->out);
}

static void put_point(const picture *p, const plan_view *v, size_t i) {
  snug_plan_point at = SNUG_INIT(snug_plan_point);
  char bytes[SNUG_BYTES_TEXT], time[32], how[TEXT_BYTES];
  snug_plan_point_at(v->plan, i, &at);
  fprintf(p->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>",
          i == v->chosen ? "chosen" : "point", x_of(p, (double)at.process), y_of(p, at.seconds),
          i == v->chosen ? 6 : 3);
  fprintf(p->out, "%s, %s a step: %s</title></circle>\n", snug_bytes_text(at.process, bytes),
          terminal_time(at.seconds, time, sizeof time),
          plan_how(&at, &v->fastest, "nothing given up", how, sizeof how));
}

static void put_line(const picture *p, const plan_view *v) {
  double line = (double)v->run->line.bytes;
  char bytes[SNUG_BYTES_TEXT];
  if (line < p->least || line > p->most) {
    return;
  }
  fprintf(p->out,
          "<line class=\"line\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n"
          "<text x=\"%.1f\" y=\"%.1f\">the line: %s</text>\n",
          x_of(p, line), x_of(p, line), TOP, HEIGHT - BOTTOM, x_of(p, line) + 6.0, TOP + 12.0,
          snug_bytes_text(v->run->line.bytes, bytes));
}

/* Axes a little longer than the curve; a single point lies in the middle. */
static picture picture_of(const plan_view *v, FILE *out) {
  snug_plan_point last = SNUG_INIT(snug_plan_point);
  snug_plan_point_at(v->plan, v->n_points - 1, &last);
  double bytes = (double)(v->fastest.process - last.process);
  double seconds = last.seconds - v->fastest.seconds;
  double wide = bytes > 0.0 ? 0.05 * bytes : 0.5 * (double)last.process + 1.0;
  double high = seconds > 0.0 ? 0.05 * seconds : 0.5 * last.seconds + 1e-6;
  return (picture){out, (double)last.process - wide, (double)v->fastest.process + wide,
                   v->fastest.seconds - high, last.seconds + high};
}

static void put_picture(const plan_view *v, FILE *out) {
  picture p = picture_of(v, out);
  fprintf(out,
          "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"seconds of a step over "
          "the memory of the process\">\n",
          WIDTH, HEIGHT);
  put_ticks(&p);
  put_line(&p, v);
  put_steps(&p, v);
  for (size_t i = 0; i < v->n_points; i++) {
    put_point(&p, v, i);
  }
  fputs("</svg>\n", out);
}

/* ---- the page ---- */

static void put_row(const plan_view *v, size_t i, FILE *out) {
  snug_plan_point p = SNUG_INIT(snug_plan_point);
  char bytes[SNUG_BYTES_TEXT], block[SNUG_BYTES_TEXT], time[32], more[32], how[TEXT_BYTES];
  snug_plan_point_at(v->plan, i, &p);
  fprintf(out, "<tr%s><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td class=\"how\">%s</td></tr>\n",
          i == v->chosen ? " class=\"chosen\"" : "", snug_bytes_text(p.process, bytes),
          snug_bytes_text(p.block, block), terminal_time(p.seconds, time, sizeof time),
          i ? plan_more(p.seconds, v->fastest.seconds, more, sizeof more) : "",
          plan_how(&p, &v->fastest, "nothing given up", how, sizeof how));
}

static void put_table(const plan_view *v, FILE *out) {
  fputs(
      "<table>\n<thead><tr><th>process</th><th>step's block</th><th>step</th><th></th>"
      "<th class=\"how\">how</th></tr></thead>\n",
      out);
  for (size_t i = 0; i < v->n_points; i++) {
    put_row(v, i, out);
  }
  fputs("</table>\n", out);
}

static void put_head(const plan_view *v, FILE *out) {
  char title[TEXT_BYTES];
  snprintf(title, sizeof title, "%s: memory against time", v->run->options->job.model);
  snug_page_begin(to_file, out, title);
}

static void put_verdict(const plan_view *v, FILE *out) {
  char needs[SNUG_BYTES_TEXT], least[SNUG_BYTES_TEXT], line[SNUG_BYTES_TEXT];
  const fit_run *r = v->run;
  fputs("<h1>", out);
  put_text(out, r->options->job.model);
  fprintf(out, ", batch %lld</h1>\n<p>At full speed %s; fits in as little as %s.",
          (long long)r->fit.batch_size, snug_bytes_text(v->fastest.process, needs),
          snug_bytes_text(snug_plan_least(v->plan), least));
  if (r->line.bytes) {
    fprintf(out, " Under the line of %s: %s.", snug_bytes_text(r->line.bytes, line),
            v->chosen < v->n_points ? snug_bytes_text(v->point.process, needs) : "does not fit");
  }
  fputs(r->options->job.data.n ? "</p>\n" : " The data set is not counted.</p>\n", out);
}

void plan_write_html(const plan_view *v, FILE *out) {
  put_head(v, out);
  put_verdict(v, out);
  put_picture(v, out);
  put_table(v, out);
  snug_page_end(to_file, out);
}
