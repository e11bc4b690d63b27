#include "interrupt.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t came;
static const char *said;
static struct sigaction before_int, before_term;

static void handle(int number) {
  int kept = errno;
  if (came) {
    signal(number, SIG_DFL);
    raise(number); /* is delivered when the handler returns */
  } else {
    came = number;
    (void)!write(STDERR_FILENO, said, strlen(said));
  }
  errno = kept;
}

/* Who runs it in the background or with nohup has the signal ignored, and so it stays. */
static void take(int number, struct sigaction *before) {
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  if (sigaction(number, NULL, before) == 0 && before->sa_handler != SIG_IGN) {
    sigaction(number, &action, NULL);
  }
}

void interrupt_begin(const char *notice) {
  said = notice;
  take(SIGINT, &before_int);
  take(SIGTERM, &before_term);
}

void interrupt_end(void) {
  sigaction(SIGINT, &before_int, NULL);
  sigaction(SIGTERM, &before_term, NULL);
}

const volatile sig_atomic_t *interrupt_flag(void) { return &came; }
