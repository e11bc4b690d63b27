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

#define KEPT "float64[5]; float64[5] positive"

OP_CASES(layer_norm, {"", "float64[5,3]; float64[3]; float64[3]", SUMS},
         {"", "float64[2,3,4]; float64[4]", SUMS}, {"", "float64[2,3]; -; float64[3]", SUMS},
         {"axis=[-2,-1], epsilon=0.01", "float64[2,3,2]; float64[3,2]; float64[3,2]", SUMS},
         {"axis=[2,1]", "float64[2,3,2]", SUMS}, {"axis=0", "float64[4]; float64[4]", SUMS},
         {"", "float64[0,3]; float64[3]; float64[3]"}, {"", "float64[2,0]; float64[0]; float64[0]"},
         {"", "float64[4,3]; float32[3]; float32[3]", SUMS, .no_gradient = true},
         {"", "float64[5,3]; float64[3]; float64[3]", SUMS, .n_out = 1},
         {"", X "; " GAMMA "; " BETA, SUMS,
          .expect = "1.749666778 1.499888926 1.74952023 1.499840077 -1.249880014 0.5000399952 "
                    "-1.249250562 0.5002498127"},
         {"axis=[-2,-1]", "float64[2,2,2] = 1 2 3 4 -1 0.5 2 2.5; float64[2,2] = 1 2 0.5 -1", SUMS,
          .expect = "-1.341104452 -0.8940696346 0.2235174087 -1.341104452 -1.460204151 "
                    "-0.7301020754 0.3650510377 -1.095153113"},
         {"axis=[0]", "float64[2,3]", .fails = "last axes"},
         {"axis=[]", "float64[2,3]", .fails = "last axes"},
         {"axis=[1,1]", "float64[2,3]", .fails = "last axes"},
         {"axis=[2]", "float64[2,3]", .fails = "there are 2 axes"},
         {"", "float64[2,3]; float64[2]", .fails = "must be float64[3]"})

OP_CASES(layer_norm_grad, {"", "float64[5,3]; float64[5,3]; float64[3]; " KEPT, SUMS},
         {"", "float64[5,2,2]; float64[5,2,2]; -; " KEPT, SUMS},
         {"", "float64[0,3]; float64[0,3]; -; float64[0]; float64[0]"},
         {"", "float64[400,70]; float64[400,70]; -; float64[400]; float64[400] positive",
          .dtype_factor = 64},
         {"", "float64[5,3]; float64[5,3]; float64[3]; float64[4]; float64[4]",
          .fails = "not those of x"},
         {"", "float64[5,3]; float64[5,3]; float64[3]; float64[5]; float64[4]",
          .fails = "do not fit"},
         {"", "float64[5,3]; float64[5,3]; float64[4]; " KEPT, .fails = "must be float64[3]"})

#define X4 "float64[1,2,4] = 1 2 3 4 -1 0.5 2 2.5"
#define GAMMA4 "float64[4] = 1 2 0.5 -1"

OP_CASES(group_norm, {"groups=2", "float64[2,3,4]; float64[4]; float64[4]", SUMS},
         {"groups=1", "float64[2,2,2,3]; float64[3]; float64[3]", SUMS},
         {"groups=-1", "float64[2,3,4]; -; float64[4]", SUMS},
         {"groups=3", "float64[2,6]; float64[6]", SUMS},
         {"groups=2", "float64[2,3,34]; float64[34]; float64[34]", SUMS},
         {"groups=35", "float64[2,2,2,70]; float64[70]; float64[70]", SUMS},
         {"groups=2", "float64[2,3,4]", SUMS},
         {"groups=2", "float64[0,3,4]; float64[4]; float64[4]"},
         {"groups=2", "float64[2,0,4]; float64[4]; float64[4]"},
         {"groups=-1", "float64[2,3,0]; float64[0]"},
         {"groups=2", "float64[2,3,4]; float64[4]", SUMS, .n_out = 1},
         {"groups=2", X4 "; " GAMMA4 "; float64[4] = 0 0.5 1 -1", SUMS,
          .expect = "0.3462624544 3.039257999 1.08443826 -2.519888681 -1.500470636 0.2691583638 "
                    "0.4089321797 -0.4933704398"},
         {"groups=-1", X4, SUMS,
          .expect = "0.9995003747 0.9991122945 0.9980059801 0.9991122945 -0.9995003747 "
                    "-0.9991122945 -0.9980059801 -0.9991122945"},
         {"groups=3", "float64[2,4]", .fails = "groups=3 must divide the 4 channels"},
         {"groups=0", "float64[2,4]", .fails = "groups=0"},
         {"groups=1", "float64[4]", .fails = "2 axes or more"})

OP_CASES(group_norm_grad,
         {"", "float64[2,3,4]; float64[2,3,4]; float64[4]; float64[2,2]; float64[2,2] positive",
          SUMS},
         {"", "float64[2,3]; float64[2,3]; -; float64[2,3]; float64[2,3] positive", SUMS},
         {"", "float64[2,3]; float64[2,3]; -; float64[2,2]; float64[2,2]",
          .fails = "not those of x"})

OP_CASES(rms_norm, {"", "float64[5,3]; float64[3]", SUMS}, {"", "float64[2,2,3]", SUMS},
         {"axis=[1,2]", "float64[2,3,2]; float64[3,2]", SUMS}, {"", "float64[0,3]; float64[3]"},
         {"", "float64[5,3]; float64[3]", SUMS, .n_out = 1},
         {"", X4 "; " GAMMA4, SUMS,
          .expect = "0.3651483473 1.460593389 0.547722521 -1.460593389 -0.5897677221 0.5897677221 "
                    "0.5897677221 -1.474419305"},
         {"axis=[1]", "float64[2,3,2]", .fails = "last axes"})

OP_CASES(rms_norm_grad, {"", "float64[5,3]; float64[5,3]; float64[3]; float64[5] positive", SUMS},
         {"", "float64[5,3]; float64[5,3]; -; float64[4]", .fails = "not those of x"})

OP_CASES(unit_norm, {"", "float64[5,3]", SUMS}, {"axis=1", "float64[2,3,4]", SUMS},
         {"axis=0", "float64[3]", SUMS}, {"", "float64[0,3]"}, {"", "float64[2,0]"},
         {"", "float64[2,2] zero", .no_gradient = true, .expect = "0 0 0 0"},
         {"", X4,
          .expect = "0.1825741858 0.3651483717 0.5477225575 0.7302967433 -0.2948839123 "
                    "0.1474419562 0.5897678246 0.7372097808"},
         {"axis=1", X4,
          .expect = "0.7071067812 0.9701425001 0.8320502943 0.847998304 -0.7071067812 0.242535625 "
                    "0.5547001962 0.52999894"},
         {"axis=2", "float64[2,3]", .fails = "there are 2 axes"},
         {"epsilon=0", "float64[2,3]", .fails = "positive"})

OP_CASES(unit_norm_grad, {"", "float64[5,3]; float64[5,3]", SUMS},
         {"", "float64[1,2,4] = 1 -1 2 0.5 0.25 3 -2 1; " X4, SUMS,
          .expect = "0.1399735425 -0.2677754726 0.2373464416 -0.07911548053 0.06731045824 "
                    "0.8878569968 -0.576946785 0.3109102119"},
         {"", "float64[1,2] = 1 2; float64[1,2] = 0 0", .dtype_factor = 1e9, .expect = "1e12 2e12"},
         {"", "float64[2,3]; float64[3,2]", .fails = "do not fit"})
