/* In which layouts oneDNN convolves.
 *
 * Images lie in blocks of channels.  An input of few channels is plain nchw.  The forward and the
 * weight gradient have one layout of the kernel, the data gradient has another, but for matrices.
 * What follows is an order of preference; the first that the library has a kernel for is taken. */
#include "device/cpu/dnn.h"

#define FEW_CHANNELS 4 /* up to so many, an input is better not blocked */

/* The layouts of one block size. */
typedef struct blocks {
  snug__layout image, oihw_io, oihw_oi, iohw_oi, ohwi, chw;
} blocks;

static const blocks by16 = {SNUG__LAYOUT_NCHW16C,    SNUG__LAYOUT_OIHW16I16O,
                            SNUG__LAYOUT_OIHW16O16I, SNUG__LAYOUT_IOHW16O16I,
                            SNUG__LAYOUT_OHWI16O,    SNUG__LAYOUT_CHW16C};
static const blocks by8 = {SNUG__LAYOUT_NCHW8C,   SNUG__LAYOUT_OIHW8I8O, SNUG__LAYOUT_OIHW8O8I,
                           SNUG__LAYOUT_IOHW8O8I, SNUG__LAYOUT_OHWI8O,   SNUG__LAYOUT_CHW8C};

/* Sets of layouts in the order in which they are tried. */
#define MAX_TRIES 24
typedef struct tries {
  int32_t n;
  struct {
    snug__layout x, kernel, y;
  } at[MAX_TRIES];
} tries;

static void add(tries *t, snug__layout x, snug__layout kernel, snug__layout y) {
  t->at[t->n].x = x;
  t->at[t->n].kernel = kernel;
  t->at[t->n++].y = y;
}

static void add_kernels(tries *t, const snug__dnn_conv *v, const blocks *b, snug__layout x,
                        snug__layout y) {
  if (v->direction == SNUG__DNN_BWD_DATA) {
    add(t, x, b->iohw_oi, y);
    add(t, x, b->oihw_oi, y);
    return;
  }
  if (!snug__layout_is_blocked_image(x)) {
    add(t, x, b->ohwi, y);
  }
  add(t, x, b->oihw_io, y);
}

/* There is no forward in blocks of 16 for fewer channels in, and 8 out would fill half of a block;
 * that does not matter where the images are in such blocks already.  Whatever is preferred must be
 * so still when the images come in it. */
static bool prefers_8(const snug__dnn_conv *v) {
  if (v->c.cin > FEW_CHANNELS && v->c.cin < 16) {
    return true;
  }
  if (v->c.cout > 8) {
    return false;
  }
  if (v->direction == SNUG__DNN_BWD_DATA) {
    return v->y == SNUG__LAYOUT_NCHW8C;
  }
  return v->c.cin <= FEW_CHANNELS || v->x != SNUG__LAYOUT_NCHW16C;
}

/* Few outputs of what is plain: not worth to reorder the input. */
static bool prefers_plain(const snug__dnn_conv *v) {
  return v->direction != SNUG__DNN_BWD_DATA && v->x == SNUG__LAYOUT_PLAIN && v->c.cout < 8 &&
         v->c.cin > FEW_CHANNELS;
}

static void add_plain(tries *t, const snug__dnn_conv *v, const blocks *const *each, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    add_kernels(t, v, each[i], SNUG__LAYOUT_PLAIN, SNUG__LAYOUT_PLAIN);
  }
}

static void add_nchw(tries *t, const snug__dnn_conv *v, const blocks *const *each, int32_t n) {
  for (int32_t i = 0; i < n && v->direction != SNUG__DNN_BWD_DATA; i++) {
    add_kernels(t, v, each[i], SNUG__LAYOUT_NCHW, each[i]->image);
  }
}

static void add_blocked(tries *t, const snug__dnn_conv *v, const blocks *const *each, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    add_kernels(t, v, each[i], each[i]->image, each[i]->image);
  }
}

static void list_conv(const snug__dnn_conv *v, tries *t) {
  const bool eight_first = v->isa < SNUG__ISA_AVX512 || prefers_8(v);
  const blocks *const each[] = {eight_first ? &by8 : &by16, eight_first ? &by16 : &by8};
  const int32_t n = v->isa < SNUG__ISA_AVX512 ? 1 : 2;
  if (prefers_plain(v)) {
    add_plain(t, v, each, n);
  }
  if (v->c.cin <= FEW_CHANNELS) {
    add_nchw(t, v, each, n);
  }
  add_blocked(t, v, each, n);
  if (v->c.cin > FEW_CHANNELS && v->c.cin < 16) {
    add_nchw(t, v, each, n);
  }
  if (!prefers_plain(v)) {
    add_plain(t, v, each, n);
  }
}

/* Of depthwise ones in the blocks that the images have already. */
static void list_depthwise(const snug__dnn_conv *v, tries *t) {
  const snug__layout images = v->direction == SNUG__DNN_BWD_DATA ? v->y : v->x;
  const bool eight_first = v->isa < SNUG__ISA_AVX512 || images == SNUG__LAYOUT_NCHW8C ||
                           (images != SNUG__LAYOUT_NCHW16C && v->c.cin <= 8);
  const blocks *const each[] = {eight_first ? &by8 : &by16, eight_first ? &by16 : &by8};
  for (int32_t i = 0; i < (v->isa < SNUG__ISA_AVX512 ? 1 : 2); i++) {
    add(t, each[i]->image, each[i]->chw, each[i]->image);
  }
}

/* Matrices stay plain, but for the one in the place of the kernel.  That of a Dense layer can be
 * larger than all activations: better a slower data gradient than a second copy of it. */
static void list_matrix(const snug__dnn_conv *v, tries *t) {
  const bool data = v->direction == SNUG__DNN_BWD_DATA;
  static const snug__layout forward[] = {SNUG__LAYOUT_OI16I16O, SNUG__LAYOUT_OI8I8O};
  static const snug__layout backward[] = {SNUG__LAYOUT_IO16O16I, SNUG__LAYOUT_OI8O8I};
  if (data && v->isa >= SNUG__ISA_AVX512) {
    add(t, SNUG__LAYOUT_PLAIN, forward[0], SNUG__LAYOUT_PLAIN);
  }
  for (int32_t i = v->isa < SNUG__ISA_AVX512 ? 1 : 0; i < 2; i++) {
    add(t, SNUG__LAYOUT_PLAIN, data ? backward[i] : forward[i], SNUG__LAYOUT_PLAIN);
  }
}

static void list(const snug__dnn_conv *v, tries *t) {
  switch (v->kind) {
    case SNUG__DNN_CONV:
      list_conv(v, t);
      break;
    case SNUG__DNN_DEPTHWISE:
      list_depthwise(v, t);
      break;
    default:
      list_matrix(v, t);
  }
}

static bool has(snug__dnn_conv *v, const tries *t, int32_t i, snug__dnn_direction direction) {
  v->x = t->at[i].x;
  v->kernel = t->at[i].kernel;
  v->y = t->at[i].y;
  v->direction = direction;
  return snug__dnn_has(v);
}

/* The first that both directions have; the second one alone decides if they are the same. */
static bool choose_first(snug__dnn_conv *v, const tries *t, snug__dnn_direction with) {
  const snug__dnn_direction direction = v->direction;
  for (int32_t i = 0; i < t->n; i++) {
    if ((with == direction || has(v, t, i, with)) && has(v, t, i, direction)) {
      return true;
    }
  }
  v->direction = direction;
  return false;
}

bool snug__dnn_choose(snug__dnn_conv *v) {
  tries t = {0};
  list(v, &t);
  /* A kernel and its gradient have one layout where that can be. */
  const snug__dnn_direction direction = v->direction;
  const snug__dnn_direction with = direction == SNUG__DNN_FORWARD       ? SNUG__DNN_BWD_WEIGHTS
                                   : direction == SNUG__DNN_BWD_WEIGHTS ? SNUG__DNN_FORWARD
                                                                        : direction;
  return choose_first(v, &t, with) || choose_first(v, &t, direction);
}
