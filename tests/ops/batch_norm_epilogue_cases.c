/* Batch normalization with a residual and an activation in it.  Known values are those of the plain
 * ops one after another; batch_norm_epilogue_test.c compares with these at random. */
#include "ops/cases.h"

#define SUMS .dtype_factor = 8 /* differences of sums: narrow inputs cancel */
/* y comes from statistics that are rounded: half an epsilon of the mean (0.1 at most here) and of
 * the variance, so at most 0.75 epsilon in y, which is compared down to 1e-3 in size. */
#define ROUNDED .dtype_factor = 750
#define VECTOR "float64[3]"
#define STATISTICS "float64[3]; float64[3] positive"

OP_CASES(batch_norm_train_epilogue,
         {"activation=relu", "float64[5,3]; " VECTOR "; " VECTOR "; float64[5,3]", SUMS},
         {"activation=relu max_value=0.75", "float64[7,3]; " VECTOR "; " VECTOR, SUMS},
         {"activation=swish", "float64[2,3,2,3]; " VECTOR "; -; float64[2,3,2,3]", SUMS},
         {"activation=swish epsilon=0.1", "float64[5,3]", SUMS},
         {"", "float64[5,3]; -; " VECTOR "; float64[5,3]", SUMS},
         {"activation=relu", "float64[0,3]; -; -; float64[0,3]"},
         {"activation=relu", "float64[2,0]; float64[0]; float64[0]"},
         {"activation=relu", "float64[300,70]; float64[70]; float64[70]; float64[300,70]", ROUNDED},
         {"activation=relu",
          "float64[4,2] = 1 -2 3 0.5 -1 4 0 2; float64[2] = 1.5 -0.5; float64[2] = 0.25 1; "
          "float64[4,2] = 0 -2 1 0 0 0 1 -1",
          SUMS, .expect = "0.5034883428 0 3.531395086 1.142667666 0 0.3437287352 0.4895349715 0"},
         {"activation=relu", "float64[5,3]; -; -; float64[5,2]", .fails = "do not fit"},
         {"activation=swish max_value=6", "float64[5,3]", .fails = "is for activation=relu"},
         {"activation=relu max_value=-1", "float64[5,3]", .fails = "max_value=-1"},
         {"activation=gelu", "float64[5,3]", .fails = "gelu"},
         {"", "float64[5,3]; float64[4]", .fails = "must be float64[3]"},
         {"epsilon=-1", "float64[5,3]", .fails = "epsilon=-1"})

OP_CASES(batch_norm_infer_epilogue,
         {"activation=relu", "float64[5,3]; " VECTOR "; " VECTOR "; " STATISTICS "; float64[5,3]",
          SUMS},
         {"activation=relu max_value=0.75", "float64[2,2,2,3]; -; -; " STATISTICS, SUMS},
         {"activation=swish", "float64[4,3]; " VECTOR "; -; " STATISTICS, SUMS},
         {"", "float64[4,3]; -; " VECTOR "; " STATISTICS "; float64[4,3]", SUMS},
         {"activation=relu", "float64[0,3]; -; -; " STATISTICS "; -"},
         {"activation=relu max_value=2",
          "float64[4,2] = 1 -2 3 0.5 -1 4 0 2; float64[2] = 1.5 -0.5; float64[2] = 0.25 1; "
          "float64[2] = 0.0075 0.01125; float64[2] = 1.011875 1.03796875",
          SUMS, .expect = "1.729257734 1.986585706 2 0.7602517023 0 0 0.23882173 0.02445130017"},
         {"", "float64[5,3]; -; -; -; float64[3]", .fails = "1 axes"},
         {"", "float64[5,3]; -; -; " STATISTICS "; float64[3]", .fails = "do not fit"})

OP_CASES(batch_norm_train_epilogue_grad,
         {"activation=relu",
          "float64[5,3]; float64[5,3]; " STATISTICS "; " VECTOR "; " VECTOR "; float64[5,3]", SUMS},
         {"activation=relu max_value=0.75",
          "float64[7,3]; float64[7,3]; " STATISTICS "; " VECTOR "; " VECTOR, SUMS},
         {"activation=swish", "float64[7,3]; float64[7,3]; " STATISTICS "; -; " VECTOR, SUMS},
         {"activation=swish", "float64[2,2,2,3]; float64[2,2,2,3]; " STATISTICS "; " VECTOR, SUMS},
         {"", "float64[7,3]; float64[7,3]; " STATISTICS, SUMS},
         {"activation=relu", "float64[0,3]; float64[0,3]; " STATISTICS},
         {"activation=relu",
          "float64[400,70]; float64[400,70]; float64[70]; float64[70] positive; -; -; "
          "float64[400,70]",
          .dtype_factor = 64},
         {"dtype=float64",
          "float64[4,2] = 1 2 -1 0.5 0.25 -3 2 1; float64[4,2] = 1 -2 3 0.5 -1 4 0 2; "
          "float64[2] = 0.75 1.125; float64[2] = 2.1875 4.796875; float64[2] = 1.5 -0.5",
          SUMS,
          .expect = "0.5576222319 0.1039853745 -0.5581434554 0.02079707491 -1.114983852 "
                    "0.2239090278 1.115505076 -0.3486914773"},
         {"activation=swish", "float64[7,3]; float64[7,3]; " STATISTICS "; -; -; float64[7,3]",
          .fails = "slope of swish"},
         {"activation=relu", "float64[7,3]; float64[7,3]; " STATISTICS "; -; -; float64[7,2]",
          .fails = "do not fit"},
         {"", "float64[5,3]; float64[5,3]; " VECTOR "; -", .fails = "1 axes"},
         {"", "float64[5,3]; float64[5,3]; " STATISTICS "; float64[4]",
          .fails = "must be float64[3]"})
