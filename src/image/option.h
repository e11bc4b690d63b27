/* Options of images as users write them. */
#ifndef SNUG_IMAGE_OPTION_H
#define SNUG_IMAGE_OPTION_H

#include "base/ctx.h"

#define SNUG__IMAGE_SIZE_MAX 16384 /* a side of what images are resized to */

/* "224x320" is height x width, as Keras's image_size; "224" both.  `what` names the option in
 * messages.  Fails: E_ARGUMENT. */
snug_status snug__option_size(snug_ctx *ctx, const char *what, const char *text, int32_t *height,
                              int32_t *width) SNUG_NODISCARD;

/* A number or a fraction, and perhaps what is added: "0.5", "1/255", "1/127.5,-1".  Fails:
 * E_ARGUMENT. */
snug_status snug__option_scale(snug_ctx *ctx, const char *what, const char *text, double *scale,
                               double *offset) SNUG_NODISCARD;

/* One word of a list of names (NULL at the end): its number.  Fails: E_ARGUMENT, with the names. */
snug_status snug__option_choice(snug_ctx *ctx, const char *what, const char *text,
                                const char *const *names, int32_t *out) SNUG_NODISCARD;

#endif
