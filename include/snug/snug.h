/* Snug: training inside a stated number of bytes.  All that a program needs to train inside itself:
 * models, data, training, plans, memory.  snug/tools.h has the rest: what the command is made of.
 *
 * struct_size.h says how structs are initialized, and how they grow. */
#ifndef SNUG_SNUG_H
#define SNUG_SNUG_H

#include "snug/callbacks.h"
#include "snug/context.h"
#include "snug/data.h"
#include "snug/files.h"
#include "snug/keras.h"
#include "snug/memory.h"
#include "snug/model.h"
#include "snug/plan.h"
#include "snug/status.h"
#include "snug/struct_size.h"
#include "snug/train.h"
#include "snug/types.h"

#endif
