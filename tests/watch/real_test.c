/* Processes of this machine.  They wait for each other by pipes, so that no test hangs on time. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch/machine.h"

#define HELD (48 * MIB)

/* A process that does what it is told by single letters, and answers each. */
typedef struct worker {
  pid_t process;
  int say, hear;
} worker;

static void touch_for_a_moment(void) {
  void *p = mmap(NULL, HELD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(p, 1, HELD);
  munmap(p, HELD);
}

/* h: hold much for a moment.  o: leave an orphan, which waits for the end of the pipe.  q: end. */
static void serve(int hear, int say) {
  char c;
  while (read(hear, &c, 1) == 1) {
    if (c == 'h') {
      touch_for_a_moment();
    } else if (c == 'o') {
      if (fork() == 0) {
        if (fork() == 0) {
          pause();
        }
        _exit(0);
      }
      wait(NULL);
    }
    (void)!write(say, &c, 1);
    if (c == 'q') {
      break;
    }
  }
  _exit(7);
}

static worker start(void) {
  int to[2], from[2];
  ASSERT_TRUE(pipe(to) == 0 && pipe(from) == 0);
  pid_t process = fork();
  ASSERT_TRUE(process >= 0);
  if (process == 0) {
    close(to[1]);
    close(from[0]);
    serve(to[0], from[1]);
  }
  close(to[0]);
  close(from[1]);
  return (worker){process, to[1], from[0]};
}

static void tell(const worker *w, char what) {
  char c = 0;
  ASSERT_EQ_INT(write(w->say, &what, 1), 1);
  ASSERT_EQ_INT(read(w->hear, &c, 1), 1);
  ASSERT_EQ_INT(c, what);
}

static uint64_t end(worker *w) {
  struct rusage used;
  int status;
  tell(w, 'q');
  ASSERT_EQ_INT(wait4(w->process, &status, 0, &used), w->process);
  close(w->say);
  close(w->hear);
  return (uint64_t)used.ru_maxrss << 10;
}

/* A look now, whenever the next one would be. */
static void look(snug_watch *w) {
  w->credit = 1.0;
  snug__watch_look_at(w, w->next);
}

static snug_watch *watch(void) {
  snug_ctx *ctx = test_ctx();
  snug_watch *w = NULL;
  ASSERT_OK(ctx, snug_watch_create(ctx, NULL, &w));
  look(w);
  return w;
}

static snug_watch_report report_of(const snug_watch *w) {
  snug_watch_report r = SNUG_INIT(snug_watch_report);
  snug_watch_report_get(w, &r);
  return r;
}

TEST(a_moment_in_one_of_five_children_is_caught) {
  worker five[5];
  snug_watch *w = watch();
  for (int i = 0; i < 5; i++) {
    five[i] = start();
    tell(&five[i], 'x');
  }
  look(w);
  uint64_t before = report_of(w).peak_least;
  tell(&five[3], 'h'); /* over before anybody looks */
  look(w);
  snug_watch_report r = report_of(w);
  ASSERT_EQ_INT(r.most_processes, 5);
  ASSERT_TRUE(r.peak_least >= before + HELD / 2 && r.peak_least >= HELD);
  ASSERT_EQ_INT(r.who[0].process, five[3].process);
  for (int i = 0; i < 5; i++) {
    end(&five[i]);
  }
  look(w);
  ASSERT_EQ_INT(report_of(w).left, 0);
  snug_watch_destroy(w);
}

TEST(orphans_stay_in_the_tree) {
  snug_watch_now now = SNUG_INIT(snug_watch_now);
  snug_watch *w = watch();
  worker one = start();
  tell(&one, 'o'); /* whose parent was never seen */
  look(w);
  snug_watch_get(w, &now);
  ASSERT_EQ_INT(now.processes, 2);
  end(&one);
  look(w);
  snug_watch_get(w, &now);
  ASSERT_EQ_INT(now.processes, 1);
  ASSERT_EQ_INT(snug_watch_signal(w, SIGKILL), 1);
  ASSERT_TRUE(wait(NULL) > 0); /* it is ours now */
  look(w);
  snug_watch_get(w, &now);
  ASSERT_EQ_INT(now.processes, 0);
  snug_watch_destroy(w);
}

TEST(what_came_after_the_last_look_is_told_by_the_system) {
  snug_watch *w = watch();
  worker one = start();
  look(w);
  tell(&one, 'h');
  pid_t process = one.process;
  uint64_t most = end(&one);
  uint64_t before = report_of(w).peak;
  snug_watch_ended(w, process, most);
  snug_watch_report r = report_of(w);
  ASSERT_TRUE(r.peak >= HELD && r.peak > before);
  ASSERT_TRUE(r.peak_most >= r.peak && r.peak_least == r.peak);
  ASSERT_EQ_UINT(r.left, 0);
  snug_watch_destroy(w);
}

TEST(pages_of_this_machine_are_split) {
  snug_watch *w = watch();
  worker one = start();
  tell(&one, 'x');
  look(w);
  snug_watch_report r = report_of(w);
  if (!r.has_split) {
    snug_watch_destroy(w);
    end(&one);
    test_skip("this system does not tell of pages");
  }
  ASSERT_TRUE(r.anonymous > 0 && r.anonymous + r.file + r.shared <= r.peak);
  end(&one);
  snug_watch_destroy(w);
}

TEST(between_vfork_and_exec_nothing_counts_twice) {
  int hold[2];
  char c;
  void *p = mmap(NULL, HELD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(p, 1, HELD);
  ASSERT_EQ_INT(pipe(hold), 0);
  snug_memory_process self = SNUG_INIT(snug_memory_process); /* of which the others are copies */
  snug_memory_process_get(&self);
  pid_t top = fork();
  if (top == 0) { /* lives in two processes with one memory */
    if (vfork() == 0) {
      (void)!read(hold[0], &c, 1);
      _exit(0);
    }
    (void)!read(hold[0], &c, 1);
    _exit(0);
  }
  snug_ctx *ctx = test_ctx();
  snug_watch *w = NULL;
  snug_watch_options o = SNUG_INIT(snug_watch_options);
  o.process = top;
  ASSERT_OK(ctx, snug_watch_create(ctx, &o, &w));
  for (int i = 0; i < 200 && report_of(w).most_processes < 2; i++) {
    usleep(10000);
    look(w);
  }
  look(w);
  snug_watch_report r = report_of(w);
  (void)!write(hold[1], "xx", 2);
  ASSERT_EQ_INT(r.most_processes, 2);
  ASSERT_TRUE(r.peak >= HELD && r.peak_most < self.resident + self.resident / 2);
  ASSERT_EQ_INT(waitpid(top, NULL, 0), top);
  close(hold[0]);
  close(hold[1]);
  munmap(p, HELD);
  snug_watch_destroy(w);
}
