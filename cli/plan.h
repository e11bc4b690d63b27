/* snug plan: what a fit would take, without running it. */
#ifndef SNUG_CLI_PLAN_H
#define SNUG_CLI_PLAN_H

#include "fit.h"
#include "json.h"

/* A plan and what is asked of it all the time. */
typedef struct plan_view {
  const fit_run *run;
  const snug_plan *plan;
  snug_memory_report memory;
  size_t n_points, chosen;        /* chosen: their number if nothing fits */
  snug_plan_point fastest, point; /* point: the one that is shown; the last if nothing fits */
  snug_plan_moment peak;
} plan_view;

plan_view plan_view_of(const fit_run *run, const snug_plan *plan);

/* All of it as text; as JSON, of which the caller ends the object. */
void plan_print(const plan_view *v);
json plan_begin_json(const plan_view *v, FILE *out);

/* The moment of the peak, in words. */
void plan_print_peak(const plan_view *v);

/* Memory against time over all points: a table and a picture for terminals; a file whose name ends
 * in .html, .csv or .json (reports; returns 0 or an exit code). */
void plan_print_curve(const plan_view *v);
int plan_write_curve(const plan_view *v, const char *path, bool force);
void plan_write_html(const plan_view *v, FILE *out);

/* The block over time, as a picture of characters. */
void plan_print_map(const plan_view *v);

/* "+9 %": how much more that is than the base. */
const char *plan_more(double seconds, double base, char *dst, size_t bytes);

/* What a point gives up: "91 nodes run twice, 8 samples at a time". */
const char *plan_how(const snug_plan_point *p, const snug_plan_point *fastest, const char *none,
                     char *dst, size_t bytes);

/* Whether the fit gives the same bits as without a line, and the same in words: why not. */
bool plan_same_bits(const fit_run *r);
const char *plan_result(const fit_run *r, char *dst, size_t bytes);

/* The members of a memory report, in an object of that name; the bytes of each layer; samples. */
void plan_json_memory(json *j, const snug_memory_report *m);
void plan_json_data(json *j, const snug_data_report *d);
void plan_json_layers(json *j, const fit_run *run);
void samples_print_json(const fit_run *run, json *j);

#endif
