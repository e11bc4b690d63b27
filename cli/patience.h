/* How long threads that wait for each other stay busy. */
#ifndef SNUG_CLI_PATIENCE_H
#define SNUG_CLI_PATIENCE_H

/* OpenMP's threads wait busily for milliseconds.  Where other programs need the cores too, that
 * costs a multiple of the time, and the runtime reads its settings before main.  So start the
 * program once more with GOMP_SPINCOUNT (libgomp) and KMP_BLOCKTIME (libomp) set, unless the user
 * has a say in them already or it cannot be done. */
void patience_set(char **argv);

#endif
