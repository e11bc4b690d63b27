/* Normalizations and the moving average.  Expected values are Keras's (TensorFlow, float64). */
#include "ops/cases.h"

#define X "float64[4,2] = 1 -2 3 0.5 -1 4 0 2"
#define DY "float64[4,2] = 1 2 -1 0.5 0.25 -3 2 1"
#define GAMMA "float64[2] = 1.5 -0.5"
#define BETA "float64[2] = 0.25 1"
#define MEAN "float64[2] = 0.75 1.125"
#define VARIANCE "float64[2] = 2.1875 4.796875"
#define SUMS .dtype_factor = 8 /* differences of sums: narrow inputs cancel */

OP_CASES(batch_norm_train, {"", "float64[5,3]; float64[3]; float64[3]", SUMS},
         {"epsilon=0.1", "float64[2,3,2,4]; float64[4]; float64[4]", SUMS},
         {"", "float64[5,3]; -; float64[3]", SUMS}, {"", "float64[5,3]; float64[3]", SUMS},
         {"", "float64[5,3]", SUMS}, {"", "float64[0,3]; float64[3]; float64[3]"},
         {"", "float64[2,0]; float64[0]; float64[0]"}, {"", "float64[1,3]; float64[3]", SUMS},
         {"", "float64[300,70]; float64[70]; float64[70]", SUMS, .no_gradient = true},
         {"", "float64[4,3]; float32[3]; float32[3]", SUMS, .no_gradient = true},
         {"", X "; " GAMMA "; " BETA, SUMS,
          .expect = "0.5034883428 1.713338331 2.531395086 1.142667666 -1.5244184 0.3437287352 "
                    "-0.5104650285 0.8002652672"},
         {"", "float64[5,3]; float64[4]", .fails = "must be float64[3]"},
         {"", "float64[5,3]; float64[3]; float32[3]", .fails = "dtypes"},
         {"", "float64[]", .fails = "1 axes or more"}, {"", "int32[2,3]", .fails = "must be float"},
         {"epsilon=-1", "float64[5,3]", .fails = "epsilon=-1"})

OP_CASES(batch_norm_train_grad,
         {"", "float64[5,3]; float64[5,3]; float64[3]; float64[3]; float64[3] positive", SUMS},
         {"", "float64[5,3]; float64[5,3]; -; float64[3]; float64[3] positive", SUMS},
         {"", "float64[0,3]; float64[0,3]; -; float64[3]; float64[3] positive"},
         {"", "float64[400,70]; float64[400,70]; -; float64[70]; float64[70] positive",
          .dtype_factor = 64},
         {"", DY "; " X "; " GAMMA "; " MEAN "; " VARIANCE, SUMS,
          .expect = "0.5576222319 0.1039853745 -0.5581434554 0.02079707491 -1.114983852 "
                    "0.2239090278 1.115505076 -0.3486914773"},
         {"", "float64[5,3]; float64[5,3]; -; float64[3]; -", .fails = "1 axes"},
         {"", "float64[5,3]; -; -; float64[3]; float64[3]", .fails = "dtypes"})

OP_CASES(batch_norm_infer,
         {"", "float64[5,3]; float64[3]; float64[3]; float64[3]; float64[3] positive", SUMS},
         {"epsilon=0", "float64[2,2,2,3]; -; -; float64[3]; float64[3] positive", SUMS},
         {"", "float64[4,3]; float64[3]; -; float64[3]; float64[3] positive", SUMS},
         {"", "float64[0,3]; float64[3]; -; float64[3]; float64[3] positive"},
         {"",
          X "; " GAMMA "; " BETA "; float64[2] = 0.0075 0.01125; float64[2] = 1.011875 1.03796875",
          SUMS,
          .expect = "1.729257734 1.986585706 4.710129742 0.7602517023 -1.251614274 -0.9566159027 "
                    "0.23882173 0.02445130017"},
         {"", "float64[5,3]; -; -; -; float64[3]", .fails = "1 axes"},
         {"", "float64[5,3]; -; -; float64[2]; float64[3]", .fails = "must be float64[3]"})

OP_CASES(batch_norm_infer_grad,
         {"", "float64[5,3]; float64[5,3]; float64[3]; float64[3]; float64[3] positive", SUMS},
         {"", "float64[5,3]; -; float64[3]; -; float64[3] positive", .n_out = 1},
         {"", DY "; -; " GAMMA "; -; float64[2] = 1.011875 1.03796875", .n_out = 1,
          .expect = "1.490436004 -0.9810672028 -1.490436004 -0.2452668007 0.372609001 1.471600804 "
                    "2.980872008 -0.4905336014"},
         {"", "float64[5,3]; float64[5,2]; -; -; float64[3]", .fails = "do not fit"})

OP_CASES(moving_average, {"", "float64[3]; float64[3]", .dtype_factor = 2},
         {"momentum=0.9", "float64[2] = 0 1; float64[2] = 0.75 2.1875", .expect = "0.075 1.11875"},
         {"", "float64[2] = 1 2; float64[2] = 5 6; float64[] = 0", .expect = "1 2"},
         {"", "float64[1] = 1; float64[1] = 2; float64[] = 1", .expect = "1.01"},
         {"", "float64[3]; float32[3]"}, {"", "float64[0]; float64[0]"},
         {"", "float64[3]; float64[2]", .fails = "do not fit"},
         {"", "float64[3]; float64[3]; float64[1]", .fails = "0 axes"})
