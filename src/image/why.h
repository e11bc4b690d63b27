/* A failure as text that no context is needed for: images are read by many threads at once, and a
 * context has room for one message.  The text says what is wrong with the image and never which
 * file it is: that is added where the failure is raised, in the order of the samples. */
#ifndef SNUG_IMAGE_WHY_H
#define SNUG_IMAGE_WHY_H

#include "snug/context.h"

#define SNUG__WHY_BYTES 256

typedef struct snug__why {
  char text[SNUG__WHY_BYTES];
} snug__why;

/* Store the text; returns code. */
snug_status snug__why_say(snug__why *why, snug_status code, const char *format, ...)
    SNUG_PRINTF(3, 4);

#endif
