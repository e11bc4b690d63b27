/* Verdicts on curves, and the curve itself over days. */
#include "watch/shape.h"

#include <math.h>

#include "lib/test.h"

#define MIB 1048576.0

typedef double form(double seconds);

/* A curve of so many seconds at 20 samples a second. */
static snug_watch_report judged(form *f, double seconds) {
  snug__curve c;
  snug_watch_report r = SNUG_INIT(snug_watch_report);
  snug__curve_init(&c, 0.05);
  for (double t = 0.0; t < seconds; t += 0.05) {
    snug__curve_add(&c, t, (uint64_t)(f(t) * MIB));
  }
  snug__shape_judge(&c, &r);
  return r;
}

/* 0 to 1, without any order */
static double noise(double t) {
  uint64_t n = (uint64_t)(t * 20.0 + 0.5) * UINT64_C(0x9E3779B97F4A7C15);
  n = (n ^ n >> 31) * UINT64_C(0xBF58476D1CE4E5B9);
  return (double)((n ^ n >> 29) >> 11) / 9007199254740992.0;
}

static double flat(double t) { return t < 1.0 ? 100.0 * t : 1000.0 + noise(t); }
static double loads_for_a_third(double t) { return t < 20.0 ? 10.0 * t : 200.0 + noise(t); }
static double leak(double t) { return 500.0 + 0.5 * t + 5.0 * noise(t); }
static double slow_leak(double t) { return 1000.0 + t / 300.0 + 0.2 * noise(t); }
static double epochs(double t) { return 500.0 + 100.0 * (fmod(t, 22.0) > 15.0) + noise(t); }
static double leaking_epochs(double t) { return epochs(t) + 41.0 * t / 60.0; }
static double loading_epochs(double t) {
  if (t > 15.8) {
    return 100.0; /* it has given back most, and is about to end */
  }
  return t < 4.0 ? 100.0 * t : 500.0 + 160.0 * (fmod(t, 1.0) < 0.6) + 8.0 * floor(t);
}
static double steps(double t) { return 300.0 + (t > 20.0) * 200.0 + (t > 45.0) * 100.0 + noise(t); }
static double falls(double t) { return t < 30.0 ? 900.0 : 300.0; }
/* Programs that start: they load themselves, then their data, and take their first steps. */
static double starts_steadily(double t) { return 100.0 + 45.0 * t + noise(t); }
static double starts_in_spurts(double t) {
  return t < 10.0   ? 35.0 * t
         : t < 24.0 ? 350.0 + 6.0 * (t - 10.0)
         : t < 34.0 ? 434.0 + 32.0 * (t - 24.0)
                    : 754.0 + 2.0 * (t - 34.0);
}
static double settles(double t) { return 800.0 - 700.0 * exp(-t / 20.0) + noise(t); }
static double starts_and_gives_back(double t) {
  return t < 4.2 ? 180.0 * t : t < 14.3 ? 761.0 + 0.6 * (t - 4.2) : 714.0;
}
/* A leak that grows itself, and one behind a start of a third of the time. */
static double faster_and_faster(double t) { return 500.0 + t * t / 200.0 + noise(t); }
static double leak_behind_a_start(double t) {
  return t < 40.0 ? 20.0 * t : 800.0 + 0.8 * (t - 40.0) + 2.0 * noise(t);
}
static double wild(double t) { return 500.0 + 400.0 * noise(floor(t)); }

TEST(flat_is_flat) {
  snug_watch_report r = judged(flat, 60.0);
  ASSERT_EQ_INT(r.shape, SNUG_WATCH_FLAT);
  ASSERT_NEAR(r.shape_from, 6.0, 0.2);
  ASSERT_TRUE(r.low >= (uint64_t)(1000.0 * MIB) && r.high <= (uint64_t)(1001.0 * MIB));
  ASSERT_TRUE(r.period == 0.0 && r.per_minute == 0.0);
}

TEST(a_long_start_is_left_out) {
  snug_watch_report r = judged(loads_for_a_third, 60.0);
  ASSERT_EQ_INT(r.shape, SNUG_WATCH_FLAT);
  ASSERT_NEAR(r.shape_from, 30.0, 0.2);
}

TEST(a_leak_is_growing) {
  snug_watch_report r = judged(leak, 600.0);
  ASSERT_EQ_INT(r.shape, SNUG_WATCH_GROWING);
  ASSERT_NEAR(r.per_minute, 30.0 * MIB, 0.3 * MIB);
  ASSERT_TRUE(r.period == 0.0);
}

TEST(a_slow_leak_of_hours_is_growing) {
  snug_watch_report r = judged(slow_leak, 7200.0);
  ASSERT_EQ_INT(r.shape, SNUG_WATCH_GROWING);
  ASSERT_NEAR(r.per_minute, 0.2 * MIB, 0.01 * MIB);
}

TEST(epochs_are_told_below_a_leak) {
  snug_watch_report r = judged(leaking_epochs, 600.0);
  ASSERT_EQ_INT(r.shape, SNUG_WATCH_GROWING);
  ASSERT_NEAR(r.per_minute, 41.0 * MIB, 1.0 * MIB);
  ASSERT_NEAR(r.period, 22.0, 1.7); /* a point is 1.6 s by then */
}

TEST(short_epochs_are_told_below_a_leak_behind_a_long_start) {
  snug_watch_report r = judged(loading_epochs, 16.0);
  ASSERT_EQ_INT(r.shape, SNUG_WATCH_GROWING);
  ASSERT_NEAR(r.per_minute, 480.0 * MIB, 48.0 * MIB);
  ASSERT_NEAR(r.period, 1.0, 0.06);
}

TEST(epochs_alone_go_up_and_down) {
  snug_watch_report r = judged(epochs, 600.0);
  ASSERT_EQ_INT(r.shape, SNUG_WATCH_VARYING);
  ASSERT_TRUE(r.per_minute == 0.0);
  ASSERT_NEAR(r.period, 22.0, 1.7);
}

TEST(steps_are_counted) {
  snug_watch_report r = judged(steps, 60.0);
  ASSERT_EQ_INT(r.shape, SNUG_WATCH_STEPPED);
  ASSERT_EQ_INT(r.steps, 2);
  ASSERT_NEAR(r.last_step_at, 45.0, 1.0);
  ASSERT_NEAR((double)r.step_bytes, 300.0 * MIB, 3.0 * MIB);
}

TEST(what_falls_or_jumps_about_is_not_growing) {
  ASSERT_EQ_INT(judged(falls, 60.0).shape, SNUG_WATCH_FLAT); /* since the half */
  snug_watch_report r = judged(wild, 600.0);
  ASSERT_EQ_INT(r.shape, SNUG_WATCH_VARYING);
  ASSERT_TRUE(r.period == 0.0);
}

/* A run of seconds that rises, as every program does when it starts, is not called a leak. */
TEST(a_start_is_not_a_leak) {
  ASSERT_EQ_INT(judged(starts_steadily, 12.0).shape, SNUG_WATCH_RISING);
  ASSERT_EQ_INT(judged(starts_steadily, 25.0).shape, SNUG_WATCH_RISING);
  ASSERT_EQ_INT(judged(starts_in_spurts, 38.0).shape, SNUG_WATCH_RISING);
  ASSERT_TRUE(judged(starts_in_spurts, 38.0).per_minute == 0.0);
  ASSERT_EQ_INT(judged(settles, 120.0).shape, SNUG_WATCH_FLAT);
  ASSERT_EQ_INT(judged(starts_and_gives_back, 15.4).shape, SNUG_WATCH_FLAT);
}

TEST(a_leak_is_one_also_when_it_is_short_or_behind_a_start) {
  ASSERT_EQ_INT(judged(leak, 60.0).shape, SNUG_WATCH_GROWING);
  ASSERT_EQ_INT(judged(starts_steadily, 120.0).shape, SNUG_WATCH_GROWING);
  ASSERT_EQ_INT(judged(faster_and_faster, 600.0).shape, SNUG_WATCH_GROWING);
  snug_watch_report r = judged(leak_behind_a_start, 120.0);
  ASSERT_EQ_INT(r.shape, SNUG_WATCH_GROWING);
  ASSERT_NEAR(r.per_minute, 48.0 * MIB, 2.0 * MIB);
}

TEST(little_is_not_judged) {
  ASSERT_EQ_INT(judged(leak, 1.0).shape, SNUG_WATCH_SHORT);
  ASSERT_EQ_INT(judged(leak, 0.0).shape, SNUG_WATCH_SHORT);
}

TEST(noise_alone_does_not_grow) {
  snug__curve c;
  for (int run = 0; run < 300; run++) {
    snug_watch_report r = SNUG_INIT(snug_watch_report);
    snug__curve_init(&c, 0.05);
    for (int i = 0; i < 2000; i++) {
      snug__curve_add(&c, 0.05 * i, (uint64_t)(MIB * (1000.0 + 8.0 * test_random_unit())));
    }
    snug__shape_judge(&c, &r);
    ASSERT_EQ_INT(r.shape, SNUG_WATCH_FLAT);
  }
}

TEST(a_curve_of_days_stays_small_and_keeps_its_extremes) {
  snug__curve c;
  uint64_t high = 0, n = 0;
  snug__curve_init(&c, 0.05);
  for (double t = 0.0; t < 10.0 * 86400.0; t += 1.0) {
    snug__curve_add(&c, t, t == 4321.0 ? 777 : 5);
  }
  ASSERT_TRUE(c.n <= SNUG__CURVE_MOST && c.n > SNUG__CURVE_MOST / 2);
  for (size_t i = 0; i < c.n; i++) {
    high = c.points[i].high > high ? c.points[i].high : high;
    n += c.points[i].n;
    ASSERT_EQ_UINT(c.points[i].low, 5);
  }
  ASSERT_EQ_UINT(high, 777);
  ASSERT_EQ_UINT(n, 864000);
}

TEST(a_pause_leaves_empty_points) {
  snug__curve c;
  snug__curve_init(&c, 1.0);
  snug__curve_add(&c, 0.0, 7);
  snug__curve_add(&c, 9.0, 8);
  ASSERT_EQ_UINT(c.n, 10);
  ASSERT_EQ_UINT(c.points[5].n, 0);
  ASSERT_EQ_UINT(c.points[9].low, 8);
}
