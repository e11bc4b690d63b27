/* Reductions: sum, mean, max, min, argmax, sum_squares, sum_abs. */
#include "ops/cases.h"

#define EVERY_VIEW(fill)                                                                          \
  {"", "float64[2,3]" fill}, {"axes=[0]", "float64[2,3]" fill},                                   \
      {"axes=[-1], keepdims=true", "float64[2,3,4]" fill}, {"axes=[0,2]", "float64[2,3,4]" fill}, \
      {"axes=[1,2]", "float64[2,3,4,5]" fill}, {"axes=[0,1,2]", "float64[2,3,2,70]" fill},        \
      {"axes=[1,3]", "float64[2,3,2,3]" fill}, {"axes=[0,2]", "float64[2,3,2,3]" fill},           \
      {"axes=[1]", "float64[1,4,1,3]" fill}, {"axes=[0]", "float64[0,3]" fill},                   \
      {"axes=[1]", "float64[0,3]" fill}, {"", "float64[]" fill},                                  \
      {"axes=[3]", "float64[2,3]" fill, .fails = "there are 2 axes"}, {                           \
    "", "int32[2,3]", .fails = "must be float"                                                    \
  }

OP_CASES(sum, EVERY_VIEW(""), {"axes=[1]", "float64[2,0,3]"},
         {"", "float64[300,100]", .no_gradient = true},
         {"axes=[0]", "float64[700,40]", .no_gradient = true, .dtype_factor = 4},
         {"axes=[0]", "float64[2,2] = 1 2 3 4", .expect = "4 6"},
         {"axes=[1]", "float64[1,10] = 1 2 3 4 5 6 7 8 9 10", .expect = "55"})

OP_CASES(mean, EVERY_VIEW(""), {"axes=[0]", "float64[2,2] = 1 2 3 4", .expect = "2 3"},
         {"axes=[1,2]", "float64[1,2,2,2] = 1 2 3 4 5 6 7 9", .expect = "4 5.25"})

OP_CASES(max, EVERY_VIEW(" distinct"), {"", "float64[300,100] distinct", .no_gradient = true},
         {"axes=[0]", "float64[2,2] = 1 5 3 4", .expect = "3 5"})

OP_CASES(min, EVERY_VIEW(" distinct"), {"", "float64[300,100] distinct", .no_gradient = true},
         {"axes=[0]", "float64[2,2] = 1 5 3 4", .expect = "1 4"})

OP_CASES(reduce_pick_grad,
         {"axes=[1]", "float64[3]; float64[2,3]; float64[3]", .fails = "reduction's type"},
         {"axes=[1]", "float64[2] = 6 9; float64[2,3] = 1 3 3 7 7 7; float64[2] = 3 7",
          .expect = "0 3 3 3 3 3"},
         {"axes=[0], keepdims=true",
          "float64[1,2] = 1 2; float64[3,2] = 5 1 5 2 4 2; float64[1,2] = 5 2",
          .expect = "0.5 0 0.5 1 0 1"})

OP_CASES(argmax, {"", "float64[3,5] distinct"}, {"axis=0", "float64[3,5] distinct"},
         {"axis=1, keepdims=true", "float64[2,5,3] distinct"}, {"", "float64[0,3]"},
         {"", "float64[2,3] = 1 3 3 2 2 1", .expect = "1 0"},
         {"axis=0", "float64[0,3]", .fails = "0 elements"},
         {"axis=2", "float64[2,3]", .fails = "there are 2 axes"})

OP_CASES(sum_squares, {"", "float64[2,3]"}, {"", "float64[]"}, {"", "float64[0]"},
         {"", "float64[300,100]", .no_gradient = true},
         {"", "float64[2,2] = 1 2 3 -4", .expect = "30"}, {"", "int32[2]", .fails = "float"})

OP_CASES(sum_squares_grad, {"", "float64[]; float64[2,3]"},
         {"", "float64[] = 2; float64[2] = 3 -4", .expect = "12 -16"},
         {"", "float64[1]; float64[2]", .fails = "0 axes"})

OP_CASES(sum_abs, {"", "float64[2,3] away"}, {"", "float64[] away"}, {"", "float64[0]"},
         {"", "float64[2,2] = 1 2 3 -4", .expect = "10"})

OP_CASES(sum_abs_grad, {"", "float64[]; float64[2,3] away"},
         {"", "float64[] = 2; float64[3] = 3 -4 0", .expect = "2 -2 0"})
