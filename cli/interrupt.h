/* Ctrl-C, SIGTERM and a closed terminal (SIGHUP) during a training: the first one asks it to end
 * after the batch, another Ctrl-C or SIGTERM ends the process at once.  Files are replaced as a
 * whole, so none is left half written. */
#ifndef SNUG_CLI_INTERRUPT_H
#define SNUG_CLI_INTERRUPT_H

#include <signal.h>

/* Take the signals over, and give them back.  The first signal prints `notice`, a line, which must
 * stay valid. */
void interrupt_begin(const char *notice);
void interrupt_end(void);

/* The signal that came, or 0. */
const volatile sig_atomic_t *interrupt_flag(void);

#endif
