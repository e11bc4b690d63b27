/* The pipes of feeds: one that is shared, and one for each source in order. */
#include "train/feed.h"

/* What is not wanted is not read; what a map changes is, from wherever it lies. */
static snug_status fill_intake(snug_model *m, snug__feed *f, bool with_labels) {
  snug__intake *in = &f->intake;
  for (int32_t k = 0; k < in->n; k++) {
    bool wanted = with_labels || !snug__feed_is_label(f->data, k);
    in->arrays[k] = *snug__data_array(f->data, k);
    in->arrays[k].data = f->data->map ? NULL : in->arrays[k].data;
    if (f->augment && k == 0) {
      in->arrays[k].data = NULL;
      in->arrays[k].dtype = SNUG_FLOAT32;
    }
    if (wanted) {
      SNUG_TRY(snug__feed_demand(m, f->data, k, &in->demands[k]));
    } else {
      in->arrays[k].data = &snug__no_values;
    }
  }
  return SNUG_OK;
}

/* NULL: all is in memory, and stays as it is. */
static const snug_source *source_of(const snug_model *m, snug__feed *f) {
  const snug_data *d = f->data;
  const snug_source *source = d->map ? snug__mapped_source(&f->mapped, d) : d->source;
  if (!f->augment) {
    return source;
  }
  f->augmented = (snug__augmented){.data = d,
                                   .inner = source,
                                   .augment = f->augment,
                                   .in_memory = d->x[0].data && !d->map,
                                   .seed = m->seed};
  return snug__augmented_source(&f->augmented);
}

static snug_status open_intake(snug_model *m, snug__feed *f, bool with_labels) {
  snug__intake *in = &f->intake;
  const snug_source *source = source_of(m, f);
  if (!source) {
    return SNUG_OK;
  }
  *in = (snug__intake){.source = source,
                       .n = snug__data_count(f->data),
                       .first = f->first,
                       .rows = f->rows,
                       .batch = f->batch,
                       .shuffled = f->shuffled,
                       .window = f->window,
                       .seed = m->seed};
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_DATA, in->n, &in->arrays));
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_DATA, in->n, &in->demands));
  return fill_intake(m, f, with_labels);
}

/* Sources in order have a pipe of their own: they could not go on where they were interrupted. */
static snug_status open_own(snug_ctx *ctx, snug__feed *f, uint64_t share) {
  const snug__intake *in = &f->intake;
  if (!in->source || !in->source->in_order) {
    return SNUG_OK;
  }
  f->owns_pipe = true;
  return snug__pipe_open(ctx, &in, 1, share, &f->pipe);
}

static snug_status open_shared(snug_ctx *ctx, snug__feed *const *feeds, int32_t n, uint64_t share) {
  const snug__intake *in[SNUG__MOST_FEEDS];
  snug__feed *owner = NULL;
  int32_t count = 0;
  for (int32_t i = 0; i < n; i++) {
    if (feeds[i]->intake.source && !feeds[i]->pipe) {
      in[count++] = &feeds[i]->intake;
      owner = owner ? owner : feeds[i];
    }
  }
  if (!owner) {
    return SNUG_OK;
  }
  owner->owns_pipe = true;
  SNUG_TRY(snug__pipe_open(ctx, in, count, share, &owner->pipe));
  for (int32_t i = 0; i < n; i++) {
    bool shares = feeds[i]->intake.source && !feeds[i]->pipe;
    feeds[i]->pipe = shares ? owner->pipe : feeds[i]->pipe;
  }
  return SNUG_OK;
}

snug_status snug__feeds_open(snug_model *m, snug__feed *const *feeds, int32_t n, bool with_labels,
                             uint64_t share) {
  for (int32_t i = 0; i < n; i++) {
    SNUG_TRY(open_intake(m, feeds[i], with_labels));
    SNUG_TRY(open_own(m->ctx, feeds[i], share));
  }
  return open_shared(m->ctx, feeds, n, share);
}

void snug__feeds_close(snug_ctx *ctx, snug__feed *const *feeds, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    snug__intake *in = &feeds[i]->intake;
    snug__pipe_close(feeds[i]->owns_pipe ? feeds[i]->pipe : NULL);
    SNUG_GIVE_ARRAY(ctx, SNUG__MEM_DATA, in->arrays, in->n);
    SNUG_GIVE_ARRAY(ctx, SNUG__MEM_DATA, in->demands, in->n);
    *in = (snug__intake){.n = 0};
    feeds[i]->pipe = NULL;
  }
}

int64_t snug__feed_window(const snug__feed *f) {
  return f->pipe && f->intake.source->in_order ? snug__pipe_window(f->pipe) : 0;
}

void snug__feeds_report(const snug_ctx *ctx, const snug__feed *const *feeds, int32_t n,
                        snug_data_report *out) {
  *out = (snug_data_report){.struct_size = sizeof(snug_data_report), .held = 0};
  for (int32_t i = 0; i < n; i++) {
    if (feeds[i]->owns_pipe && feeds[i]->pipe) {
      snug__pipe_report(feeds[i]->pipe, out);
    }
    out->waited += feeds[i]->waited;
    out->copied += feeds[i]->copied;
  }
  out->held = ctx->account.current[SNUG__MEM_DATA] - out->batches - out->window - out->workers;
}
