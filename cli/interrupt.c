#include "interrupt.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const int taken[] = {SIGINT, SIGTERM, SIGHUP};
#define N_TAKEN (sizeof taken / sizeof *taken)

static volatile sig_atomic_t came;
static const char *said;
static struct sigaction before[N_TAKEN];

/* A terminal that is closed is told by the kernel, and by a shell once more: that is one. */
static void handle(int number) {
  int kept = errno;
  if (came && number != SIGHUP) {
    signal(number, SIG_DFL);
    raise(number); /* is delivered when the handler returns */
  } else if (!came) {
    came = number;
    (void)!write(STDERR_FILENO, said, strlen(said));
  }
  errno = kept;
}

/* Who runs it in the background or with nohup has the signal ignored, and so it stays. */
static void take(int number, struct sigaction *old) {
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  if (sigaction(number, NULL, old) == 0 && old->sa_handler != SIG_IGN) {
    sigaction(number, &action, NULL);
  }
}

void interrupt_begin(const char *notice) {
  said = notice;
  for (size_t i = 0; i < N_TAKEN; i++) {
    take(taken[i], &before[i]);
  }
}

void interrupt_end(void) {
  for (size_t i = 0; i < N_TAKEN; i++) {
    sigaction(taken[i], &before[i], NULL);
  }
}

const volatile sig_atomic_t *interrupt_flag(void) { return &came; }
