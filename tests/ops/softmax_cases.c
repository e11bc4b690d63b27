/* Ops along one axis, glu and add_n; the expected values are Keras's (sparsemax: by hand). */
#include "ops/cases.h"

#define X "float64[2,4] = 1 2 -3 0 0.5 0.5 8 -8"
#define DY "float64[2,4] = 1 2 3 4 -1 0.5 2 0; "

OP_CASES(
    softmax, {"", "float64[3,5]", .dtype_factor = 2}, {"axis=0", "float64[3,5]", .dtype_factor = 2},
    {"axis=1", "float64[2,3,2,2]", .dtype_factor = 2}, {"", "float64[4]", .dtype_factor = 2},
    {"", "float64[0,3]"}, {"", "float64[3,0]"}, {"axis=0", "float64[1,3]"},
    {"", "float64[2] = 1000 1001", .expect = "0.26894142 0.73105858", .dtype_factor = 2},
    {"", X, .dtype_factor = 2,
     .expect = "0.24363641 0.66227241 0.0044623564 0.089628825 0.00055247318 0.00055247318 "
               "0.99889494 1.1241082e-07"},
    {"axis=0", X, .dtype_factor = 2,
     .expect = "0.62245933 0.81757448 1.6701422e-05 0.99966465 0.37754067 0.18242552 0.9999833 "
               "0.00033535013"},
    {"axis=2", "float64[2,3]", .fails = "axis=2, but there are 2 axes"},
    {"", "float64[]", .fails = "1 axes or more"}, {"", "int32[3]", .fails = "must be float"})
OP_CASES(softmax_grad,
         {"",
          DY "float64[2,4] = 0.24363641 0.66227241 0.0044623564 0.089628825 0.00055247318 "
             "0.00055247318 0.99889494 1.1241082e-07",
          .expect = "-0.22903859 0.039680979 0.0047297248 0.18462789 -0.0016560459 -0.00082733613 "
                    "0.0024836066 -2.2454214e-07"},
         {"axis=0", "float64[2,3]; float64[2,3] unit"}, {"", "float64[0,3]; float64[0,3]"},
         {"", "float64[2]; float64[3]", .fails = "shapes"})

OP_CASES(log_softmax, {"", "float64[3,5]"}, {"axis=0", "float64[3,5]"},
         {"axis=-2", "float64[2,3,2]"}, {"", "float64[0,3]"},
         {"", X,
          .expect = "-1.4120783 -0.41207831 -5.4120783 -2.4120783 -7.5011057 -7.5011057 "
                    "-0.0011056698 -16.001106"})
OP_CASES(log_softmax_grad,
         {"",
          DY "float64[2,4] = -1.4120783 -0.41207831 -5.4120783 -2.4120783 -7.5011057 "
             "-7.5011057 -0.0011056698 -16.001106",
          .expect = "-1.4363641 -4.6227241 2.9553764 3.1037118 -1.0008287 0.49917129 0.50165759 "
                    "-1.6861623e-07"},
         {"axis=0", "float64[2,3]; float64[2,3]"}, {"", "float64[0,3]; float64[0,3]"})

OP_CASES(sparsemax, {"", "float64[3,5] distinct"}, {"axis=0", "float64[5,2] distinct"},
         {"", "float64[0,3]"},
         {"", "float64[2,3] = 1 1 0 0.5 0.2 0.1", .no_gradient = true,
          .expect = "0.5 0.5 0 0.56666667 0.26666667 0.16666667"},
         {"", "float64[5] = -0.5 0 1 2 3", .no_gradient = true, .expect = "0 0 0 0 1"},
         {"", "float64[4] = 1000.5 1000 1000.25 999",
          .expect = "0.58333333 0.083333333 0.33333333 0"})
OP_CASES(sparsemax_grad,
         {"", "float64[2,3] = 1 2 3 4 5 6; float64[2,3] = 0.5 0.5 0 0.2 0.3 0.5",
          .expect = "-0.5 0.5 0 -1 0 1"},
         {"axis=0", "float64[2,3]; float64[2,3] unit"}, {"", "float64[0,3]; float64[0,3]"})

OP_CASES(glu, {"", "float64[3,6]"}, {"axis=0", "float64[4,3]"}, {"axis=1", "float64[2,4,3]"},
         {"", "float64[0,4]"}, {"", "float64[3,0]"},
         {"", X, .expect = "0.047425873 1 0.49983232 0.00016767507"},
         {"axis=0", X, .expect = "0.62245933 1.2449187 -2.9989939 0"},
         {"", "float64[2,3]", .fails = "axis 1 of float64[2,3] is odd"})
OP_CASES(glu_grad,
         {"", "float64[2,2] = 1 2 -1 0.5; " X,
          .expect = "0.047425873 1 0.04517666 1 -0.99966465 0.00016767507 -0.00016761884 "
                    "8.3809418e-05"},
         {"axis=0", "float64[1,3]; float64[2,3]"}, {"", "float64[0,2]; float64[0,4]"},
         {"", "float64[3]; float64[4]", .fails = "must be float64[2]"})

OP_CASES(add_n, {"", "float64[2,3]"}, {"", "float64[2,3]; float64[2,3]; float64[2,3]"},
         {"", "float64[0]; float64[0]"},
         {"", "float64[2] = 1 2; float64[2] = 3 4; float64[2] = 5 6", .expect = "9 12"},
         {"", "float64[2]; float64[3]", .fails = "shapes"},
         {"", "int32[2]", .fails = "must be float"})
