/* The kernels of a fit, where the caller fixes them. */
#include "pass/passes.h"
#include "train/fit.h"

static const snug__device *device_of(const snug_model *m) {
  return m->pass && m->pass->device ? m->pass->device : &snug__cpu;
}

snug_status snug__fit_fix_kernels(snug__fit *f) {
  const char *text = f->options.levers.kernels;
  f->model->training->kernels = NULL;
  f->model->training->most_scratch = 0;
  f->model->training->note[0] = 0;
  if (!text) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__kernel_list_read(&f->kernels, f->model->ctx, device_of(f->model), text));
  f->has_kernels = true;
  f->model->training->kernels = &f->kernels;
  return SNUG_OK;
}

snug_status snug__fit_kernels_key(const snug__fit *f, uint64_t *out) {
  const snug__program *program = f->session.runs[SNUG__SLOT_MAIN].program;
  snug__text text;
  snug__text_init(&text, f->model->ctx, SIZE_MAX);
  snug_status s = snug__kernel_list_print(program->graph, program->device, &text);
  *out = snug__key_add(SNUG__KEY_START, snug__text_get(&text), text.chars.n);
  snug__text_release(&text);
  return s;
}

void snug__fit_free_kernels(snug__fit *f) {
  if (f->has_kernels) {
    snug__kernel_list_release(&f->kernels);
  }
  f->model->training->kernels = f->outer && f->outer->has_kernels ? &f->outer->kernels : NULL;
  f->model->training->most_scratch = f->outer ? f->outer->pick.most_scratch : 0;
}
