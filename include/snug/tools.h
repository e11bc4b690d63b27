/* What tools are made of, such as the command snug: recordings, reports, watching other programs,
 * packing, what there is of Keras.  A program that trains inside itself needs none of it. */
#ifndef SNUG_TOOLS_H
#define SNUG_TOOLS_H

#include "snug/snug.h"
#include "snug/tools/known.h"
#include "snug/tools/log.h"
#include "snug/tools/pack.h"
#include "snug/tools/record.h"
#include "snug/tools/report.h"
#include "snug/tools/summary.h"
#include "snug/tools/view.h"
#include "snug/tools/watch.h"

#endif
