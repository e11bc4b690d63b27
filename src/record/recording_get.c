/* Questions to a recording. */
#include "record/recording.h"

snug_recording_end snug_recording_ended(const snug_recording *r, uint64_t *at_byte) {
  if (at_byte) {
    *at_byte = r ? r->at_byte : 0;
  }
  return r ? r->end : SNUG_RECORDING_CUT;
}

size_t snug_recording_moments(const snug_recording *r) { return r ? r->moments.n : 0; }

const snug_moment *snug_recording_moment(const snug_recording *r, size_t i) {
  return r && i < r->moments.n ? &SNUG_VEC(&r->moments, snug_moment, i) : NULL;
}

size_t snug_recording_facts(const snug_recording *r) { return r ? r->facts.n : 0; }

static const snug__fact *fact_at(const snug_recording *r, size_t i) {
  return r && i < r->facts.n ? &SNUG_VEC(&r->facts, snug__fact, i) : NULL;
}

const char *snug_recording_fact_name(const snug_recording *r, size_t i) {
  const snug__fact *fact = fact_at(r, i);
  return fact ? fact->name : NULL;
}

const char *snug_recording_fact_value(const snug_recording *r, size_t i) {
  const snug__fact *fact = fact_at(r, i);
  return fact ? fact->value : NULL;
}

const char *snug_recording_fact(const snug_recording *r, const char *name) {
  uint32_t i = r && name ? snug__map_find(&r->fact_names, name) : SNUG__MAP_NONE;
  return i == SNUG__MAP_NONE ? NULL : SNUG_VEC(&r->facts, snug__fact, i).value;
}

size_t snug_recording_epochs(const snug_recording *r) { return r ? r->epochs.n : 0; }

snug_logs snug_recording_logs(const snug_recording *r, size_t i, int64_t *epoch) {
  const snug__epoch *e =
      r && i < r->epochs.n ? &SNUG_VEC(&r->epochs, snug__epoch, i) : &(const snug__epoch){0};
  if (epoch) {
    *epoch = e->epoch;
  }
  return e->n ? (snug_logs){e->n, &SNUG_VEC(&r->names, const char *, e->first),
                            &SNUG_VEC(&r->values, const double, e->first)}
              : (snug_logs){0};
}

size_t snug_recording_pieces(const snug_recording *r, double *seconds) {
  if (seconds) {
    *seconds = r ? r->peak_seconds : 0.0;
  }
  return r ? r->pieces.n : 0;
}

const snug_memory_piece *snug_recording_piece(const snug_recording *r, size_t i) {
  return r && i < r->pieces.n ? &SNUG_VEC(&r->pieces, snug_memory_piece, i) : NULL;
}
