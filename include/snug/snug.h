/* Snug: training inside a stated number of bytes.  This header brings all of the others. */
#ifndef SNUG_SNUG_H
#define SNUG_SNUG_H

#include "snug/callbacks.h"
#include "snug/context.h"
#include "snug/data.h"
#include "snug/files.h"
#include "snug/keras.h"
#include "snug/known.h"
#include "snug/log.h"
#include "snug/memory.h"
#include "snug/model.h"
#include "snug/pack.h"
#include "snug/plan.h"
#include "snug/record.h"
#include "snug/report.h"
#include "snug/status.h"
#include "snug/struct_size.h"
#include "snug/summary.h"
#include "snug/train.h"
#include "snug/types.h"
#include "snug/view.h"
#include "snug/watch.h"

#endif
