#include "ops/unblock.h"

#include <string.h>

#include "device/host.h"
#include "ops/support.h"

/* ---- types ---- */

bool snug__is_padded(const snug__type *t) {
  snug__type plain = snug__type_in(*t, SNUG__LAYOUT_PLAIN);
  return snug__type_bytes(t) != snug__type_bytes(&plain);
}

snug__layout snug__image_layout(const snug__signature *sig) {
  for (int32_t i = 0; i < sig->n_in; i++) {
    if (snug__layout_is_blocked_image(sig->in[i].layout)) {
      return sig->in[i].layout;
    }
  }
  return SNUG__LAYOUT_PLAIN;
}

snug__type snug__unblocked_image(const snug__type *image) {
  int64_t b = snug__layout_block(image->layout, 3);
  const int64_t dim[] = {image->dim[0], snug__type_stored(image, 3) / b,
                         image->dim[1] * image->dim[2], b};
  return snug__type_of(image->dtype, 4, dim);
}

snug__type snug__unblocked_planes(const snug__type *image) {
  int64_t b = snug__layout_block(image->layout, 3);
  const int64_t dim[] = {image->dim[0] * (snug__type_stored(image, 3) / b), image->dim[1],
                         image->dim[2], b};
  return snug__type_of(image->dtype, 4, dim);
}

const int32_t snug__unblocked_axis[4] = {0, 2, 3, 1};

snug__type snug__unblocked_axes(const snug__type *image) {
  int64_t b = snug__layout_block(image->layout, 3);
  const int64_t dim[] = {image->dim[0], snug__type_stored(image, 3) / b, image->dim[1],
                         image->dim[2], b};
  return snug__type_of(image->dtype, 5, dim);
}

static snug__type flat_type(const snug__type *t) {
  int64_t stored = snug__type_bytes(t) / (int64_t)snug_dtype_bytes(t->dtype);
  return snug__type_of(t->dtype, 1, &stored);
}

/* ---- zero stays zero ---- */

static snug__type one_element(const snug__type *t) {
  const int64_t ones[SNUG_MAX_RANK] = {1, 1, 1, 1, 1, 1};
  return snug__type_of(t->dtype, t->rank, ones);
}

static bool is_zero(const snug__type *t, const int64_t *cell) {
  return !t->dtype || snug__element_get(t->dtype, cell, 0) == 0.0;
}

/* Run the reference on one element of each value: 0 of those that have a layout, 1 of others. */
static bool keeps_zero(const snug__signature *sig, const snug__layouts *want) {
  snug__signature one = *sig;
  snug__type in[SNUG__MAX_IN], out[SNUG__MAX_OUT];
  int64_t in_cell[SNUG__MAX_IN] = {0}, out_cell[SNUG__MAX_OUT] = {0};
  const void *in_at[SNUG__MAX_IN] = {0};
  void *out_at[SNUG__MAX_OUT] = {0};
  snug__fault fault = {0};
  for (int32_t i = 0; i < sig->n_in; i++) {
    in[i] = one_element(&sig->in[i]);
    in_at[i] = in[i].dtype ? &in_cell[i] : NULL;
    if (in[i].dtype && want->in[i] == SNUG__LAYOUT_PLAIN) {
      snug__element_set(in[i].dtype, &in_cell[i], 0, 1.0);
    }
  }
  for (int32_t k = 0; k < sig->n_out; k++) {
    int32_t from = sig->op->writes[k] - 1;
    out[k] = one_element(&sig->out[k]);
    out_at[k] = !out[k].dtype ? NULL : from < 0 ? &out_cell[k] : &in_cell[from];
  }
  one.in = in;
  one.out = out;
  one.target = snug__host_target(1, snug__isa_of(sig->target));
  snug__call call = {&one, in_at, out_at, NULL, &fault};
  bool zero = !sig->op->scratch && sig->op->reference(&call) == SNUG_OK;
  for (int32_t k = 0; zero && k < sig->n_out; k++) {
    zero = is_zero(&out[k], out_at[k]);
  }
  return zero;
}

/* ---- element by element ---- */

/* The input whose layout the others take: the one that is written, else the first in blocks. */
static const snug__type *leader(const snug__signature *sig) {
  if (sig->op->writes[0]) {
    return &sig->in[sig->op->writes[0] - 1];
  }
  for (int32_t i = 0; i < sig->n_in; i++) {
    if (sig->in[i].layout != SNUG__LAYOUT_PLAIN) {
      return &sig->in[i];
    }
  }
  return &sig->in[0];
}

static bool flatten(const snug__type *t, const snug__type *lead, snug__type *plain,
                    snug__layout *want) {
  if (t->dtype && snug__shape_equal(t, lead)) {
    snug__type stored = snug__type_in(*t, lead->layout);
    *plain = flat_type(&stored);
    *want = lead->layout;
    return true;
  }
  return !t->dtype || t->rank == 0;
}

bool snug__unblock_flat(const snug__signature *sig, snug__plain_call *plain) {
  const snug__type *lead = leader(sig);
  bool ok = lead->layout != SNUG__LAYOUT_PLAIN;
  for (int32_t i = 0; ok && i < sig->n_in; i++) {
    ok = flatten(&sig->in[i], lead, &plain->in[i], &plain->want.in[i]);
  }
  for (int32_t k = 0; ok && k < sig->n_out; k++) {
    ok = flatten(&sig->out[k], lead, &plain->out[k], &plain->want.out[k]);
  }
  return ok && (!snug__is_padded(lead) || keeps_zero(sig, &plain->want));
}

/* ---- with broadcasting ---- */

/* n, h, w, c of a value broadcast to images. */
static bool align_axes(const snug__type *t, int64_t axis[4]) {
  for (int32_t k = 0; k < 4; k++) {
    axis[k] = k < 4 - t->rank ? 1 : t->dim[k - (4 - t->rank)];
  }
  return t->rank <= 4;
}

bool snug__unblocked_operand(const snug__type *t, const snug__type *image, snug__type *plain,
                             snug__layout *want) {
  int64_t axis[4];
  bool padded = snug__is_padded(image);
  if (t->rank > 4 || !align_axes(t, axis)) {
    return false;
  }
  bool all = axis[1] == image->dim[1] && axis[2] == image->dim[2];
  bool none = axis[1] == 1 && axis[2] == 1;
  bool channels = axis[3] == image->dim[3];
  bool images = channels && t->rank == 4;
  if (!(all || none) || (padded && !images) || (channels && !images && !none)) {
    return false;
  }
  /* One row of channels lies in blocks as it does plain. */
  bool same_memory = !images || (none && !padded && t->layout == SNUG__LAYOUT_PLAIN);
  int64_t b = snug__layout_block(image->layout, 3);
  const int64_t dim[] = {axis[0], channels ? snug__type_stored(image, 3) / b : 1, axis[1] * axis[2],
                         channels ? b : 1};
  *plain = snug__type_of(t->dtype, 4, dim);
  *want = same_memory ? SNUG__LAYOUT_PLAIN : image->layout;
  return true;
}

static bool unblock_images(const snug__signature *sig, const snug__type *image,
                           snug__plain_call *plain) {
  bool ok = true;
  for (int32_t i = 0; ok && i < sig->n_in; i++) {
    ok = !sig->in[i].dtype ||
         snug__unblocked_operand(&sig->in[i], image, &plain->in[i], &plain->want.in[i]);
  }
  plain->out[0] = snug__unblocked_image(image);
  plain->out[0].dtype = sig->out[0].dtype;
  plain->want.out[0] = image->layout;
  return ok && (!snug__is_padded(image) || keeps_zero(sig, &plain->want));
}

bool snug__unblock_broadcast(const snug__signature *sig, snug__plain_call *plain) {
  for (int32_t i = 0; i < sig->n_in; i++) {
    if (snug__layout_is_blocked_image(sig->in[i].layout) &&
        snug__shape_equal(&sig->in[i], &sig->out[0])) {
      return unblock_images(sig, &sig->in[i], plain);
    }
  }
  return snug__unblock_flat(sig, plain);
}

/* ---- channels alike ---- */

bool snug__unblock_planes(const snug__signature *sig, snug__plain_call *plain) {
  snug__layout layout = snug__image_layout(sig);
  if (layout == SNUG__LAYOUT_PLAIN) {
    return false;
  }
  for (int32_t i = 0; i < sig->n_in; i++) {
    if (sig->in[i].dtype && sig->in[i].rank == 4) {
      snug__type image = snug__type_in(sig->in[i], layout);
      plain->in[i] = snug__unblocked_planes(&image);
      plain->want.in[i] = layout;
    }
  }
  for (int32_t k = 0; k < sig->n_out; k++) {
    if (sig->out[k].dtype && sig->out[k].rank == 4) {
      snug__type image = snug__type_in(sig->out[k], layout);
      plain->out[k] = snug__unblocked_planes(&image);
      plain->want.out[k] = layout;
    }
  }
  return true;
}
