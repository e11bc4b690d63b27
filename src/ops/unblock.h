/* Calls on values in blocks seen as calls on plain values in the same memory: what the `unblock`
 * of many ops comes to.  See snug__op.unblock.
 *
 * What a layout added to an axis is zero and has to stay zero.  Where something was added, a call
 * is unblocked only if the op makes zero of zeros; that is asked of its reference. */
#ifndef SNUG_OPS_UNBLOCK_H
#define SNUG_OPS_UNBLOCK_H

#include "ops/ops.h"

/* Of ops that treat elements alone: values of one shape, in whatever layout, as one row of stored
 * elements.  Scalars may stand beside them.  Sums of all elements are such ops too. */
bool snug__unblock_flat(const snug__signature *sig, snug__plain_call *plain);

/* Of element-wise ops whose inputs are broadcast to output 0: the same where all have one shape;
 * images [n,h,w,c] in blocks of b channels as [n,c/b,h*w,b], with operands of which axes are 1. */
bool snug__unblock_broadcast(const snug__signature *sig, snug__plain_call *plain);

/* Of ops that treat the channels of images alike and each for itself (pooling, resizing): all
 * inputs and outputs of rank 4, images, as [n*c/b,h,w,b].  The op must make zero of zeros. */
bool snug__unblock_planes(const snug__signature *sig, snug__plain_call *plain);

/* ---- parts of these ---- */

/* The layout of the first input that has images in blocks; PLAIN if none has. */
snug__layout snug__image_layout(const snug__signature *sig);

/* Images [n,h,w,c] in blocks as plain [n,c/b,h*w,b], and as plain [n*c/b,h,w,b]. */
snug__type snug__unblocked_image(const snug__type *image);
snug__type snug__unblocked_planes(const snug__type *image);

/* Images in blocks as plain [n,c/b,h,w,b], and where there n, h, w and the blocks of c are. */
snug__type snug__unblocked_axes(const snug__type *image);
extern const int32_t snug__unblocked_axis[4];

/* Whether the layout of a value adds elements to it. */
bool snug__is_padded(const snug__type *t);

/* A value that is broadcast to such images (or summed to, from them), as the plain type that is
 * broadcast to snug__unblocked_image(image); *want: the layout that it must have.  False: not so.
 */
bool snug__unblocked_operand(const snug__type *t, const snug__type *image, snug__type *plain,
                             snug__layout *want);

#endif
