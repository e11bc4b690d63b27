/* What stands around the updates. */
#include "ops/cases.h"

OP_CASES(increment, {"", "int64[] = 4", .expect = "5"},
         {"by=3", "int64[] = 4; float32[] = 1", .expect = "7"},
         {"", "int64[] = 4; float32[] = 0", .expect = "4"},
         {"", "int32[]", .fails = "int64 scalar"})
OP_CASES(every, {"n=3", "int64[] = 2", .expect = "1"}, {"n=3", "int64[] = 3", .expect = "0"},
         {"n=0", "int64[]", .fails = "n=0"})
OP_CASES(clip_scale, {"clipnorm=1", "float64[] = 4", .expect = "0.5"},
         {"clipnorm=1, factor=0.5", "float64[] = 16", .expect = "0.5"},
         {"clipnorm=3, is_global=true", "float64[] = 4", .expect = "1"},
         {"clipnorm=0", "float64[] = 4", .fails = "clipnorm"})
OP_CASES(accumulate, {"", "float64[2,3]; float64[2,3]"},
         {"", "float64[2] = 1 2; float64[2] = 3 4", .expect = "4 6"},
         {"", "float64[2] = nan 2; float64[2] = 3 4; float32[] = 0", .expect = "3 4"},
         {"", "float64[2] = 1 2; float64[2] = 3 4; float32[] = 1", .expect = "4 6"},
         {"", "float64[2]; float64[2]; float32[1]", .fails = "0 axes"},
         {"", "float64[2]; float64[3]", .fails = "the shapes"})
OP_CASES(clear, {"", "float64[2] = 1 2", .expect = "0 0"},
         {"", "float64[2] = 1 2; float32[] = 0", .expect = "1 2"},
         {"", "float64[2]; float32[1]", .fails = "0 axes"})
OP_CASES(ema_update,
         {"momentum=0.5", "float64[2] = 1 2; float64[2] = 3 4; int64[] = 0", .expect = "3 4"},
         {"momentum=0.5", "float64[2] = 1 2; float64[2] = 3 4; int64[] = 1", .expect = "2 3"},
         {"momentum=0.5, accumulation_steps=2", "float64[2] = 1 2; float64[2] = 3 4; int64[] = 1",
          .expect = "3 4"},
         {"", "float64[2]; float64[2]; int32[]", .fails = "int64 scalar"})
OP_CASES(ema_overwrite,
         {"frequency=3", "float64[2] = 1 2; float64[2] = 3 4; int64[] = 2", .expect = "3 4"},
         {"frequency=3", "float64[2] = 1 2; float64[2] = 3 4; int64[] = 3", .expect = "1 2"},
         {"frequency=0", "float64[2]; float64[2]; int64[]", .fails = "frequency=0"})
OP_CASES(nadam_product, {"", "float64[] = 1; int64[] = 0", .expect = "0.468"},
         {"", "float64[] = 1; int64[] = 0; float32[] = 0", .expect = "1"},
         {"", "float64[2]; int64[]", .fails = "0 axes"})
