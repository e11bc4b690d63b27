/* The kernels of a fit, where the caller fixes them. */
#include "train/fit.h"
#include "train/lower.h"

snug_status snug__fit_fix_kernels(snug__fit *f) {
  const char *text = f->options.kernels;
  f->model->training->note[0] = 0;
  if (!text) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__kernel_list_read(&f->kernels, f->model->ctx, snug__model_device(f->model), text));
  f->has_kernels = true;
  return SNUG_OK;
}

snug__kernel_rules snug__fit_rules(const snug_model *m) {
  snug__fit *f = m->training ? m->training->fit : NULL;
  if (!f) {
    return (snug__kernel_rules){0};
  }
  return (snug__kernel_rules){.most_scratch = f->plan.choice.most_scratch,
                              .fixed = f->has_kernels ? &f->kernels : NULL};
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
}
