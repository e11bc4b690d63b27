/* Penalties and constraints. */
#include "ops/cases.h"

OP_CASES(regularize, {"l1=0.5", "float64[2,3] away"}, {"l2=0.1", "float64[2,3]"},
         {"l1=0.01, l2=0.1", "float64[4] away"}, {"l1=1, l2=1", "float64[0]", .expect = "0"},
         {"l1=0.5, l2=0.25", "float64[3] = 1 -2 3", .expect = "6.5"},
         {"", "int32[2]", .fails = "must be float"})
OP_CASES(regularize_grad, {"l1=0.5, l2=0.1", "float64[]; float64[2,3]"},
         {"l1=0.5", "float64[] = 2; float64[3] = 1 0 -3", .expect = "1 0 -1"},
         {"", "float64[1]; float64[3]", .fails = "0 axes"})
/* Expected values from keras.constraints on TensorFlow. */
OP_CASES(constrain,
         {"kind=max_norm, max_value=2, axes=[0]", "float64[2,2] = 3 0.1 4 0.2",
          .expect = "1.2 0.09999996 1.6 0.1999999"},
         {"kind=max_norm, axes=[0,1,2]", "float64[2,2,3,4]"},
         {"kind=max_norm, axes=[1]", "float64[2,5,3]"}, {"kind=unit_norm", "float64[3,2]"},
         {"kind=unit_norm, axes=[0]", "float64[2,1] = 3 4", .expect = "0.6 0.8"},
         {"kind=non_neg", "float64[4] = -1 0 2 -3", .expect = "0 0 2 0"},
         {"kind=min_max_norm, min_value=1, max_value=2, rate=0.5, axes=[0]",
          "float64[2,2] = 3 0.3 4 0.4", .expect = "2.1 0.45 2.8 0.6"},
         {"kind=unit_norm, axes=[0]", "float64[0,3]"},
         {"kind=unit_norm, axes=[2]", "float64[2,3]", .fails = "there are 2 axes"})
