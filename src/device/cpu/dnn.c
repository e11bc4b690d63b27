/* The one file that runs oneDNN; what its versions say differently is in dnn_versions.c. */
#include "device/cpu/dnn.h"

#include <stdatomic.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/ctx.h"
#include "base/heap.h"
#include "base/thread.h"
#include "device/cpu/dnn_versions.h"

enum { ARG_X, ARG_KERNEL, ARG_BIAS, ARG_Y, ARG_SCRATCH, ARG_COUNT };

struct snug__dnn {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_t primitive;
  int64_t scratch_bytes;
  int32_t n_args;
  int32_t slot[ARG_COUNT];         /* which of the above argument i is */
  dnnl_exec_arg_t args[ARG_COUNT]; /* memory objects without memory; run gives them theirs */
};

/* The library's names of our layouts: of images, of kernels, of kernels in groups.  A matrix is
 * the kernel of a 1x1 convolution.  With groups the outermost axis must be that of the outputs, so
 * that the groups lie one behind the other. */
static const struct {
  dnnl_format_tag_t image, kernel, grouped;
} tags[SNUG__LAYOUT_COUNT] = {[SNUG__LAYOUT_PLAIN] = {dnnl_nhwc, 0, 0},
                              [SNUG__LAYOUT_NCHW] = {dnnl_nchw, 0, 0},
                              [SNUG__LAYOUT_NCHW8C] = {dnnl_nChw8c, 0, 0},
                              [SNUG__LAYOUT_NCHW16C] = {dnnl_nChw16c, 0, 0},
                              [SNUG__LAYOUT_OIHW8I8O] = {0, dnnl_OIhw8i8o, dnnl_gOIhw8i8o},
                              [SNUG__LAYOUT_OIHW8O8I] = {0, dnnl_OIhw8o8i, dnnl_gOIhw8o8i},
                              [SNUG__LAYOUT_OHWI8O] = {0, dnnl_Ohwi8o, dnnl_gOhwi8o},
                              [SNUG__LAYOUT_OIHW16I16O] = {0, dnnl_OIhw16i16o, dnnl_gOIhw16i16o},
                              [SNUG__LAYOUT_OIHW16O16I] = {0, dnnl_OIhw16o16i, dnnl_gOIhw16o16i},
                              [SNUG__LAYOUT_IOHW16O16I] = {0, dnnl_IOhw16o16i, 0},
                              [SNUG__LAYOUT_OHWI16O] = {0, dnnl_Ohwi16o, dnnl_gOhwi16o},
                              [SNUG__LAYOUT_CHW8C] = {0, 0, dnnl_Goihw8g},
                              [SNUG__LAYOUT_CHW16C] = {0, 0, dnnl_Goihw16g},
                              [SNUG__LAYOUT_OI8I8O] = {0, dnnl_OIhw8i8o, 0},
                              [SNUG__LAYOUT_OI8O8I] = {0, dnnl_OIhw8o8i, 0},
                              [SNUG__LAYOUT_OI16I16O] = {0, dnnl_OIhw16i16o, 0},
                              [SNUG__LAYOUT_OI16O16I] = {0, dnnl_OIhw16o16i, 0},
                              [SNUG__LAYOUT_IO16O16I] = {0, dnnl_IOhw16o16i, 0}};

/* How many threads a primitive can count on. */
static int32_t threads_for(int32_t threads) {
#ifdef _OPENMP
  threads = threads < 0 ? -threads : threads;
  return omp_in_parallel() || omp_get_dynamic() ? 1 : snug__usable_threads(threads);
#else
  (void)threads;
  return 1;
#endif
}

/* The library takes the number of threads from OpenMP; returns what that was. */
static int32_t set_threads(int32_t threads) {
#ifdef _OPENMP
  int32_t before = omp_get_max_threads();
  omp_set_num_threads(threads);
  return before;
#else
  return threads;
#endif
}

static bool describe_image(dnnl_memory_desc_t *md, snug__layout layout, int64_t batch,
                           int64_t channels, int64_t height, int64_t width) {
  dnnl_dims_t dims = {batch, channels, height, width};
  dnnl_format_tag_t tag = tags[layout].image;
  return tag && snug__dnn_md_init(md, 4, dims, tag);
}

/* With groups the library rounds each group's outputs up to the block, we round all of them. */
static bool describe_kernel(dnnl_memory_desc_t *md, const snug__dnn_conv *v) {
  const snug__conv *c = &v->c;
  dnnl_dims_t dims = {c->cout, c->cin, c->h.kernel, c->w.kernel};
  if (c->groups == 1 && tags[v->kernel].kernel) {
    return snug__dnn_md_init(md, 4, dims, tags[v->kernel].kernel);
  }
  int64_t outs = c->cout / c->groups;
  dnnl_dims_t grouped = {c->groups, outs, c->cin / c->groups, c->h.kernel, c->w.kernel};
  return tags[v->kernel].grouped && outs % snug__layout_block(v->kernel, 3) == 0 &&
         snug__dnn_md_init(md, 5, grouped, tags[v->kernel].grouped);
}

/* Of inner products there is one data gradient that reads the kernel as the forward does; of 1x1
 * convolutions there is none. */
static bool is_inner_product(const snug__dnn_conv *v) {
  return v->kind == SNUG__DNN_MATRIX && v->direction == SNUG__DNN_BWD_DATA &&
         v->kernel == SNUG__LAYOUT_OI16I16O;
}

static bool describe_matrix(dnnl_memory_desc_t *md, int64_t rows, int64_t columns,
                            dnnl_format_tag_t tag) {
  dnnl_dims_t dims = {rows, columns};
  return snug__dnn_md_init(md, 2, dims, tag);
}

static bool describe_product(const snug__dnn_conv *v, snug__dnn_operation *o) {
  const snug__conv *c = &v->c;
  o->is_product = true;
  return describe_matrix(&o->x, c->w.in, c->cin, dnnl_ab) &&
         describe_matrix(&o->y, c->w.in, c->cout, dnnl_ab) &&
         describe_matrix(&o->kernel, c->cout, c->cin, dnnl_AB16b16a);
}

/* What the windows reach beyond the end; negative where they do not come so far. */
static int64_t padding_behind(const snug__window *w) {
  return (w->out - 1) * w->stride + (w->kernel - 1) * w->dilation + 1 - w->in - w->before;
}

static void set_windows(const snug__conv *c, snug__dnn_operation *o) {
  const snug__window *const windows[] = {&c->h, &c->w};
  for (int32_t i = 0; i < 2; i++) {
    o->strides[i] = windows[i]->stride;
    o->dilates[i] = windows[i]->dilation - 1;
    o->before[i] = windows[i]->before;
    o->behind[i] = padding_behind(windows[i]);
  }
}

/* The operation in the library's terms; it is to be released whatever comes of it. */
static bool describe(const snug__dnn_conv *v, snug__dnn_operation *o) {
  const snug__conv *c = &v->c;
  dnnl_dims_t channels = {c->cout};
  *o = (snug__dnn_operation){.direction = v->direction};
  if (is_inner_product(v)) {
    return describe_product(v, o);
  }
  o->algorithm = dnnl_convolution_direct;
  o->has_bias = v->bias && v->direction == SNUG__DNN_FORWARD;
  set_windows(c, o);
  return describe_image(&o->x, v->x, c->batch, c->cin, c->h.in, c->w.in) &&
         describe_image(&o->y, v->y, c->batch, c->cout, c->h.out, c->w.out) &&
         describe_kernel(&o->kernel, v) && snug__dnn_md_init(&o->bias, 1, channels, dnnl_a);
}

static bool append_epilogue(const snug__epilogue *epilogue, dnnl_post_ops_t ops) {
  const float top = (float)epilogue->max_value;
  switch (epilogue->activation) {
    case SNUG__RELU:
      return snug__dnn_append_eltwise(ops, isinf(top) ? dnnl_eltwise_relu : dnnl_eltwise_clip_v2,
                                      0.0f, isinf(top) ? 0.0f : top) == dnnl_success;
    case SNUG__SWISH:
      return snug__dnn_append_eltwise(ops, dnnl_eltwise_swish, 1.0f, 0.0f) == dnnl_success;
    default:
      return true;
  }
}

static dnnl_primitive_attr_t make_attr(const snug__dnn_conv *v) {
  dnnl_primitive_attr_t attr = NULL;
  dnnl_post_ops_t ops = NULL;
  if (dnnl_primitive_attr_create(&attr) != dnnl_success) {
    return NULL;
  }
  bool ok =
      dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user) == dnnl_success &&
      dnnl_post_ops_create(&ops) == dnnl_success &&
      (v->direction != SNUG__DNN_FORWARD || append_epilogue(&v->epilogue, ops)) &&
      dnnl_primitive_attr_set_post_ops(attr, ops) == dnnl_success;
  dnnl_post_ops_destroy(ops);
  if (!ok) {
    dnnl_primitive_attr_destroy(attr);
    attr = NULL;
  }
  return attr;
}

static const char *name_of(const_dnnl_primitive_desc_t pd) {
  const char *name = NULL;
  bool ok = dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name) == dnnl_success;
  return ok && name ? name : "ref";
}

static bool is_fit(const char *name, snug__isa isa) {
  return !strstr(name, "gemm:jit") && !strstr(name, "ref") &&
         (isa >= SNUG__ISA_AVX512 || !strstr(name, "avx512"));
}

/* The first kernel of the library's list that is fit, or NULL. */
static dnnl_primitive_desc_t first_fit(const snug__dnn_operation *o,
                                       const_dnnl_primitive_attr_t attr, dnnl_engine_t engine,
                                       snug__isa isa) {
  snug__dnn_walk walk;
  snug__dnn_walk_start(&walk, o, attr, engine, NULL);
  while (walk.pd && !is_fit(name_of(walk.pd), isa)) {
    snug__dnn_walk_next(&walk);
  }
  dnnl_primitive_desc_t found = walk.pd;
  walk.pd = NULL;
  snug__dnn_walk_end(&walk);
  return found;
}

static dnnl_primitive_desc_t find(const snug__dnn_conv *v, dnnl_engine_t engine) {
  if (v->isa < SNUG__ISA_AVX2) {
    return NULL;
  }
  dnnl_primitive_desc_t found = NULL;
  dnnl_primitive_attr_t attr = NULL;
  snug__dnn_operation o;
  if (describe(v, &o) && (attr = make_attr(v))) {
    int32_t before = set_threads(threads_for(v->threads));
    found = first_fit(&o, attr, engine, v->isa);
    set_threads(before);
  }
  dnnl_primitive_attr_destroy(attr);
  snug__dnn_operation_release(&o);
  return found;
}

bool snug__dnn_has(const snug__dnn_conv *v) {
  dnnl_engine_t engine = NULL;
  if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) {
    return false;
  }
  dnnl_primitive_desc_t pd = find(v, engine);
  bool has = pd != NULL;
  dnnl_primitive_desc_destroy(pd);
  dnnl_engine_destroy(engine);
  return has;
}

static int64_t scratch_of(const_dnnl_primitive_desc_t pd) {
  snug__dnn_md scratch = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
  return scratch ? (int64_t)dnnl_memory_desc_get_size(scratch) : 0;
}

int64_t snug__dnn_scratch_for(const snug__dnn_conv *v) {
  dnnl_engine_t engine = NULL;
  if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) {
    return 0;
  }
  dnnl_primitive_desc_t pd = find(v, engine);
  int64_t bytes = pd ? scratch_of(pd) : 0;
  dnnl_primitive_desc_destroy(pd);
  dnnl_engine_destroy(engine);
  return bytes;
}

/* An argument that run gives its memory. */
static bool add_arg(snug__dnn *d, int32_t slot, int id, snug__dnn_md md) {
  dnnl_exec_arg_t *arg = &d->args[d->n_args];
  if (!md || dnnl_memory_create(&arg->memory, md, d->engine, DNNL_MEMORY_NONE) != dnnl_success) {
    return false;
  }
  arg->arg = id;
  d->slot[d->n_args++] = slot;
  return true;
}

static bool add_args(snug__dnn *d, const snug__dnn_conv *v, const_dnnl_primitive_desc_t pd) {
  const bool fwd = v->direction == SNUG__DNN_FORWARD;
  const bool data = v->direction == SNUG__DNN_BWD_DATA;
  const bool weights = v->direction == SNUG__DNN_BWD_WEIGHTS;
  snug__dnn_operation o;
  bool ok = describe(v, &o) &&
            add_arg(d, ARG_X, data ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, snug__dnn_md_of(&o.x)) &&
            add_arg(d, ARG_KERNEL, weights ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS,
                    snug__dnn_md_of(&o.kernel)) &&
            add_arg(d, ARG_Y, fwd ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, snug__dnn_md_of(&o.y)) &&
            (!o.has_bias || add_arg(d, ARG_BIAS, DNNL_ARG_BIAS, snug__dnn_md_of(&o.bias))) &&
            add_arg(d, ARG_SCRATCH, DNNL_ARG_SCRATCHPAD,
                    dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0));
  snug__dnn_operation_release(&o);
  return ok;
}

static bool make(snug__dnn *d, const snug__dnn_conv *v, dnnl_primitive_desc_t pd) {
  int32_t before = set_threads(threads_for(v->threads));
  bool ok = dnnl_primitive_create(&d->primitive, pd) == dnnl_success;
  set_threads(before);
  d->scratch_bytes = scratch_of(pd);
  return ok && add_args(d, v, pd);
}

/* Whether the library has been asked for primitives since it last forgot them.  It keeps them for
 * the whole process; asking it to forget what it never had would bring in pages of it. */
static atomic_bool is_remembering;

/* What making a primitive takes at most: its code is written into a large buffer first.  Where that
 * is refused, the library does not notice. */
#define MAKING_BYTES ((size_t)1 << 20)

snug_status snug__dnn_create(snug_ctx *ctx, const snug__dnn_conv *v, snug__dnn **out) {
  snug__dnn *d = NULL;
  *out = NULL;
  if (!snug__heap_has(MAKING_BYTES)) {
    return snug__fail(ctx, SNUG_E_MEMORY,
                      "the system has no %zu bytes more, which making a convolution's kernel takes",
                      MAKING_BYTES);
  }
  atomic_store(&is_remembering, true);
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_PROGRAM, &d));
  dnnl_primitive_desc_t pd = NULL;
  bool ok = dnnl_engine_create(&d->engine, dnnl_cpu, 0) == dnnl_success &&
            dnnl_stream_create(&d->stream, d->engine, dnnl_stream_default_flags) == dnnl_success &&
            (pd = find(v, d->engine)) && make(d, v, pd);
  dnnl_primitive_desc_destroy(pd);
  if (!ok) {
    snug__dnn_destroy(ctx, d);
    return snug__fail(ctx, SNUG_E_UNSUPPORTED, "oneDNN has no kernel for this convolution");
  }
  *out = d;
  return SNUG_OK;
}

void snug__dnn_destroy(snug_ctx *ctx, snug__dnn *d) {
  if (d) {
    for (int32_t i = 0; i < d->n_args; i++) {
      dnnl_memory_destroy(d->args[i].memory);
    }
    dnnl_primitive_destroy(d->primitive);
    dnnl_stream_destroy(d->stream);
    dnnl_engine_destroy(d->engine);
    snug__give(ctx, SNUG__MEM_PROGRAM, d, sizeof *d);
  }
}

void snug__dnn_forget(void) {
  int capacity = 0;
  if (atomic_exchange(&is_remembering, false) &&
      dnnl_get_primitive_cache_capacity(&capacity) == dnnl_success &&
      dnnl_set_primitive_cache_capacity(0) == dnnl_success) {
    dnnl_set_primitive_cache_capacity(capacity);
  }
}

int64_t snug__dnn_scratch_bytes(const snug__dnn *d) { return d->scratch_bytes; }

const char *snug__dnn_name(const snug__dnn *d) {
  const_dnnl_primitive_desc_t pd = NULL;
  return dnnl_primitive_get_primitive_desc(d->primitive, &pd) == dnnl_success ? name_of(pd) : "";
}

snug_status snug__dnn_run(const snug__dnn *d, const snug__call *call, const snug__dnn_args *args) {
  const void *const pointers[ARG_COUNT] = {args->x, args->kernel, args->bias, args->y,
                                           args->scratch};
  bool ok = true;
  for (int32_t i = 0; i < d->n_args; i++) {
    /* The library asks for a pointer that may be written through; it writes the result alone. */
    void *handle = (void *)(uintptr_t)pointers[d->slot[i]];
    ok = ok && dnnl_memory_set_data_handle(d->args[i].memory, handle) == dnnl_success;
  }
  if (ok && dnnl_primitive_execute(d->primitive, d->stream, d->n_args, d->args) == dnnl_success) {
    return SNUG_OK;
  }
  *call->fault = (snug__fault){.what = "oneDNN could not run"};
  return SNUG_E_DATA;
}
