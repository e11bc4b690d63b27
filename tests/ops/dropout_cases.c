/* The random ops.  dropout_test.c looks at the numbers themselves. */
#include "ops/cases.h"

#define STATE "; int64[] = 42; int64[] = 7"

/* Every way the decisions can be broadcast, and what is refused. */
#define MASKED                                                                               \
  {"rate=0.4", "float64[4,5]" STATE},                                                        \
      {"rate=0.4, layer=3", "float64[2,3,7]" STATE "; int64[] = 5"},                         \
      {"rate=0.5, noise_shape=[4,1,3]", "float64[4,5,3]" STATE},                             \
      {"rate=0.5, noise_shape=[-1,1,1]", "float64[6,2,3]" STATE},                            \
      {"rate=0.4, noise_shape=[-1,1,1,1]", "float64[6,2,3,20]" STATE},                       \
      {"rate=0.5, noise_shape=[1,3]", "float64[6,3]" STATE "; int64[] = 5"},                 \
      {"rate=0.25", "float64[9]" STATE "; -"}, {"rate=0.4", "float64[0,3]" STATE},           \
      {"rate=0.4", "float64[3,0]" STATE}, {"rate=1", "float64[3]" STATE, .fails = "rate=1"}, \
      {"rate=-0.1", "float64[3]" STATE, .fails = "rate=-0.1"},                               \
      {"rate=0.1, noise_shape=[3]", "float64[3,2]" STATE, .fails = "noise_shape"},           \
      {"rate=0.1, noise_shape=[3,4]", "float64[3,2]" STATE, .fails = "noise_shape"},         \
      {"rate=0.1", "float64[]" STATE, .fails = "1 axes or more"},                            \
      {"rate=0.1", "float64[3]; int64[1]; int64[]", .fails = "seed is int64[1]"},            \
      {"rate=0.1", "float64[3]; int64[]; float64[]", .fails = "step is float64[]"}, {        \
    "rate=0.1", "int32[3]" STATE, .fails = "must be float"                                   \
  }

OP_CASES(dropout, MASKED, {"rate=0", "float64[3] = 1 2 -3" STATE, .expect = "1 2 -3"})
OP_CASES(alpha_dropout, MASKED, {"rate=0", "float64[3] = 1 2 -3" STATE, .expect = "1 2 -3"})

OP_CASES(gaussian_dropout, {"rate=0.3", "float64[4,5]" STATE},
         {"rate=0.3, layer=2", "float64[2,3,3]" STATE "; int64[] = 9"},
         {"rate=0", "float64[3] = 1 2 -3" STATE, .expect = "1 2 -3"},
         {"rate=0.3", "float64[0,3]" STATE}, {"rate=1", "float64[3]" STATE, .fails = "rate=1"})
OP_CASES(gaussian_noise, {"stddev=0.3", "float64[4,5]" STATE},
         {"stddev=2, layer=2", "float64[2,3,3]" STATE "; int64[] = 9"},
         {"stddev=0", "float64[3] = 1 2 -3" STATE, .expect = "1 2 -3"},
         {"stddev=0.3", "float64[0,3]" STATE},
         {"stddev=-1", "float64[3]" STATE, .fails = "stddev=-1"})
