/* Who waits, the step or the data, and what follows from it. */
#include <time.h>

#include "data/pipe_parts.h"
#include "pipe/toy.h"

#define BATCHES 7 /* of TOY_ROWS */

/* How far a pipe with four workers went down and up, while batches are used for so long each. */
typedef struct course {
  int32_t least_active, least_depth, most_depth;
} course;

static course run_course(toy *t, int32_t workers, int32_t prefetch, long nanoseconds) {
  snug_ctx *ctx = test_ctx_with(&(snug_options){.struct_size = sizeof(snug_options), .threads = 4});
  snug__pipe *p = toy_open(ctx, t, workers, prefetch);
  course c = {p->pace.active, p->pace.depth, p->pace.depth};
  ASSERT_EQ_INT(p->n_workers, 4);
  for (uint64_t pass = 0; pass < 30; pass++) {
    snug__pipe_start(p, &t->intake, &(snug__pass){pass, 0});
    for (int64_t b = 0; b < BATCHES; b++) {
      snug__ready r;
      ASSERT_OK(ctx, snug__pipe_take(p, &r));
      snug__pipe_give(p);
      nanosleep(&(struct timespec){0, nanoseconds}, NULL);
      pthread_mutex_lock(&p->mutex);
      c.least_active = p->pace.active < c.least_active ? p->pace.active : c.least_active;
      c.least_depth = p->pace.depth < c.least_depth ? p->pace.depth : c.least_depth;
      c.most_depth = p->pace.depth > c.most_depth ? p->pace.depth : c.most_depth;
      pthread_mutex_unlock(&p->mutex);
    }
  }
  for (int32_t i = c.most_depth; i < p->n_slots; i++) {
    ASSERT_EQ_INT(p->slots[i].rows, 0); /* nothing was ever read there */
  }
  snug__pipe_close(p);
  return c;
}

TEST(workers_and_batches_that_nobody_waits_for_rest) {
  toy t;
  toy_make(&t);
  course c = run_course(&t, 0, 0, 1000000);
  ASSERT_TRUE(c.least_active < 4);
  c = run_course(&t, 4, 3, 1000000); /* as many as were asked for */
  ASSERT_EQ_INT(c.least_active, 4);
  ASSERT_EQ_INT(c.least_depth, 3);
  ASSERT_EQ_INT(c.most_depth, 3);
}

TEST(workers_that_the_step_waits_for_work) {
  toy t;
  toy_make(&t);
  t.is_slow = true;
  ASSERT_EQ_INT(run_course(&t, 0, 2, 0).least_active, 4);
}

/* Most rows are there at once, and some come late. */
TEST(batches_that_come_late_at_times_are_read_further_ahead) {
  toy t;
  toy_make(&t);
  t.stumbles = true;
  ASSERT_EQ_INT(run_course(&t, 4, 0, 500000).most_depth, 4);
}

static void note(snug__pipe *p, int32_t times, bool was_there) {
  for (int32_t i = 0; i < times; i++) {
    snug__pace_note(p, was_there);
  }
}

TEST(the_pace_follows_who_waits) {
  snug__pipe p = {.n_workers = 2,
                  .n_slots = 4,
                  .adapts_workers = true,
                  .adapts_depth = true,
                  .pace = {.active = 2, .depth = 2, .patience = SNUG__PATIENCE}};
  note(&p, SNUG__PATIENCE, true); /* a worker less, then a batch less */
  ASSERT_TRUE(p.pace.active == 1 && p.pace.depth == 2);
  note(&p, SNUG__PATIENCE, true);
  ASSERT_TRUE(p.pace.active == 1 && p.pace.depth == 1);
  note(&p, 100 * SNUG__PATIENCE, true);
  ASSERT_TRUE(p.pace.active == 1 && p.pace.depth == 1);
  note(&p, 1, false); /* the worker always had something to do */
  ASSERT_TRUE(p.pace.active == 2 && p.pace.depth == 1);
  note(&p, 1, false); /* there are no more of them */
  ASSERT_TRUE(p.pace.active == 2 && p.pace.depth == 1);
  p.pace.rested = true;
  note(&p, 1, false);
  ASSERT_TRUE(p.pace.active == 2 && p.pace.depth == 2 && !p.pace.rested);
  note(&p, 8 * SNUG__PATIENCE - 1, true); /* three times it was not enough */
  ASSERT_EQ_INT(p.pace.active, 2);
  note(&p, 1, true);
  ASSERT_EQ_INT(p.pace.active, 1);
  p.pace.warm = 1; /* the first batches of a pass say nothing */
  note(&p, 100, false);
  ASSERT_TRUE(p.pace.active == 1 && p.pace.depth == 2);
}
