/* A program that watches another one: ./watch COMMAND [ARGUMENT...] */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "snug/tools.h"

static void print(const snug_watch *watch) {
  char text[SNUG_BYTES_TEXT];
  snug_watch_report r = SNUG_INIT(snug_watch_report);
  snug_watch_report_get(watch, &r);
  printf("peak %s, %.1f s in, %u process(es)\n", snug_bytes_text(r.peak, text), r.peak_at,
         r.peak_processes);
  for (uint32_t i = 0; i < r.n_who; i++) {
    printf("  %s %s\n", r.who[i].name, snug_bytes_text(r.who[i].bytes, text));
  }
}

int main(int argc, char **argv) {
  snug_ctx *ctx = NULL;
  snug_watch *watch = NULL;
  snug_status s = snug_ctx_create(NULL, &ctx);
  s = s ? s : snug_watch_create(ctx, NULL, &watch); /* all that descends from this process */
  if (s || argc < 2) {
    fprintf(stderr, "%s\n", argc < 2 ? "usage: watch COMMAND" : snug_message(ctx));
    return 1;
  }
  pid_t child = fork();
  if (child == 0) {
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  for (pid_t ended = 0; ended != child;) {
    struct rusage used;
    double wait = snug_watch_look(watch);
    poll(NULL, 0, (int)(1e3 * wait) + 1);
    while ((ended = wait4(-1, NULL, WNOHANG, &used)) > 0) { /* orphans of it are ours, too */
      snug_watch_ended(watch, ended, (uint64_t)used.ru_maxrss * 1024);
      if (ended == child) {
        break;
      }
    }
  }
  print(watch);
  snug_watch_destroy(watch);
  snug_ctx_destroy(ctx);
  return 0;
}
