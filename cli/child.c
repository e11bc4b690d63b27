#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

static const int passed_on[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
                                SIGUSR2, SIGALRM, SIGTSTP, SIGCONT, SIGWINCH};

/* ---- starting ---- */

/* Signals are taken from a file from here on.  One that is ignored, by nohup or a shell, stays so.
 */
static void take_signals(child *c) {
  sigset_t set;
  struct sigaction plain = {.sa_handler = SIG_DFL};
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
    sigaddset(&set, passed_on[i]);
  }
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGPIPE); /* nobody may read what we say, and we go on */
  sigprocmask(SIG_BLOCK, &set, &c->mask);
  sigaction(SIGCHLD, &plain, &c->on_child); /* ignored, it would leave nothing to wait for */
  sigdelset(&set, SIGPIPE);
  c->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void child_release(child *c) {
  if (c->signals >= 0) {
    close(c->signals);
    c->signals = -1;
  }
  sigaction(SIGCHLD, &c->on_child, NULL);
  sigprocmask(SIG_SETMASK, &c->mask, NULL);
}

/* In the new process: become the command, or tell why not. */
static void become(const child *c, char **command, int tell) {
  sigaction(SIGCHLD, &c->on_child, NULL);
  sigprocmask(SIG_SETMASK, &c->mask, NULL);
  execvp(command[0], command);
  int why = errno;
  (void)!write(tell, &why, sizeof why);
  _exit(CLI_NOT_RUN);
}

static int no_command(const char *name, int why) {
  int code = why == ENOENT ? CLI_NOT_FOUND : CLI_NOT_RUN;
  return cli_fail(code, "watch: %s cannot be run: %s", name, strerror(why));
}

static int fail_start(child *c, const char *what) {
  int why = errno;
  child_release(c);
  return cli_fail(CLI_NOT_WATCHED, "watch: %s: %s", what, strerror(why));
}

int child_start(child *c, char **command) {
  int ends[2];
  int why = 0;
  take_signals(c);
  if (c->signals < 0 || pipe2(ends, O_CLOEXEC) != 0) {
    return fail_start(c, "no file for signals");
  }
  c->process = fork();
  if (c->process == 0) {
    become(c, command, ends[1]);
  }
  close(ends[1]);
  if (c->process < 0) {
    close(ends[0]);
    return fail_start(c, "no new process");
  }
  ssize_t n = read(ends[0], &why, sizeof why); /* ends when the command has begun */
  close(ends[0]);
  if (n != sizeof why) {
    return CLI_OK;
  }
  waitpid(c->process, NULL, 0);
  child_release(c);
  return no_command(command[0], why);
}

/* ---- running ---- */

static bool is_terminals(int number) {
  return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* The terminal stopped it: so do we, until the shell lets both go on. */
static void stop(child *c) {
  c->stopped = true;
  raise(SIGSTOP);
}

static void take_status(child *c, pid_t process, int status, const struct rusage *used) {
  bool has_ended = WIFEXITED(status) || WIFSIGNALED(status);
  if (has_ended) {
    c->waited(c->arg, process, used->ru_maxrss);
  }
  if (process != c->process) {
    return;
  }
  if (has_ended) {
    c->ended = true;
    c->status = status;
  } else if (WIFSTOPPED(status) && is_terminals(WSTOPSIG(status))) {
    stop(c);
  } else if (WIFCONTINUED(status)) {
    c->stopped = false;
  }
}

static void wait_for_all(child *c) {
  struct rusage used;
  int status;
  pid_t process;
  while ((process = wait4(-1, &status, WNOHANG | WUNTRACED | WCONTINUED, &used)) > 0) {
    take_status(c, process, status, &used);
  }
}

/* What the kernel sends, it sends to all of the terminal's group, and so to the command too. */
static void take_signal(child *c, const struct signalfd_siginfo *s) {
  int number = (int)s->ssi_signo;
  if (number == SIGCHLD) {
    wait_for_all(c);
  } else if (number == SIGCONT) {
    if (c->stopped) {
      kill(c->process, SIGCONT);
    }
  } else if (s->ssi_code != SI_KERNEL && !c->ended) {
    kill(c->process, number);
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void child_run(child *c, double seconds) {
  double end = now() + seconds;
  double left = seconds;
  bool had_ended = c->ended;
  do {
    struct pollfd file = {.fd = c->signals, .events = POLLIN};
    struct timespec wait = {(time_t)left, (long)(1e9 * (left - floor(left)))};
    struct signalfd_siginfo info;
    if (ppoll(&file, 1, &wait, NULL) > 0) {
      while (read(c->signals, &info, sizeof info) == sizeof info) {
        take_signal(c, &info);
      }
    }
    left = end - now();
  } while (left > 0.0 && c->ended == had_ended);
}

int child_code(const child *c) {
  return WIFSIGNALED(c->status) ? CLI_SIGNAL + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}
