/* Functions of one value that are no activations, and cast. */
#include "ops/cases.h"

OP_CASES(negative, {"", "float64[2,3]"}, {"", "float64[0]"},
         {"", "float64[2] = 1 -2", .expect = "-1 2"}, {"", "bool[2]", .fails = "must be float"})

OP_CASES(scale_shift, {"", "float64[2,3]"}, {"scale=0.5, shift=-1", "float64[2,3]"},
         {"scale=0.00392156862745098", "float64[2] = 0 255", .expect = "0 1"},
         {"scale=2, shift=3", "float64[0,2]"},
         {"scale=2, shift=3", "float64[2] = 1 -2", .expect = "5 -1"})

OP_CASES(square, {"", "float64[2,3]"}, {"", "float64[2] = 3 -2", .expect = "9 4"})
OP_CASES(square_grad, {"", "float64[2] = 1 2; float64[2] = 3 -2", .expect = "6 -8"},
         {"", "float64[0]; float64[0]"})

OP_CASES(sqrt, {"", "float64[2,3] positive"}, {"", "float64[2] = 9 2", .expect = "3 1.41421356"})
OP_CASES(sqrt_grad, {"", "float64[2] = 1 2; float64[2] = 4 2", .expect = "0.125 0.5"},
         {"", "float64[0]; float64[0]"})

OP_CASES(rsqrt, {"", "float64[2,3] positive"}, {"", "float64[2] = 4 2", .expect = "0.5 0.70710678"})
OP_CASES(rsqrt_grad, {"", "float64[2] = 1 2; float64[2] = 2 1", .expect = "-4 -1"},
         {"", "float64[0]; float64[0]"})

OP_CASES(reciprocal, {"", "float64[2,3] away"}, {"", "float64[2] = 4 -2", .expect = "0.25 -0.5"})
OP_CASES(reciprocal_grad, {"", "float64[2] = 1 2; float64[2] = 2 -1", .expect = "-4 -2"},
         {"", "float64[0]; float64[0]"})

OP_CASES(log, {"", "float64[2,3] positive"}, {"", "float64[2] = 1 2", .expect = "0 0.69314718"})
OP_CASES(log_grad, {"", "float64[2] = 1 2; float64[2] = 2 4", .expect = "0.5 0.5"},
         {"", "float64[0]; float64[0]"})

OP_CASES(abs, {"", "float64[2,3] away"},
         {"", "float64[3] = -2 0 3", .no_gradient = true, .expect = "2 0 3"})
OP_CASES(abs_grad, {"", "float64[3] = 1 2 3; float64[3] = -2 0 3", .expect = "-1 0 3"},
         {"", "float64[0]; float64[0]"})

OP_CASES(sign, {"", "float64[2,3] away"}, {"", "float64[0,3]"},
         {"", "float64[3] = -2 0 3", .expect = "-1 0 1", .no_gradient = true})

OP_CASES(clip, {"", "float64[2,3]"}, {"min=-0.5, max=0.7", "float64[5] = -2 -0.4 0 0.6 3"},
         {"min=0.1", "float64[4] = -1 0 0.2 5"}, {"max=0", "float64[4] = -1 -0.2 0.2 5"},
         {"min=-1, max=2", "float64[4] = -3 -1 0.5 7", .no_gradient = true,
          .expect = "-1 -1 0.5 2"},
         {"min=2, max=1", "float64[2]", .fails = "min=2 is not below max=1"})
OP_CASES(clip_grad,
         {"min=-0.125, max=0.25", "float64[4] one; float64[4] = -0.125 0.25 0.2 0",
          .expect = "0 0 1 1"},
         {"", "float64[0]; float64[0]"})

OP_CASES(cast, {"dtype=float64", "float64[2,3]"},
         {"dtype=float32", "float64[2,3]", .no_gradient = true},
         {"dtype=float16", "float64[2,3]", .no_gradient = true},
         {"dtype=bfloat16", "float64[2,3]", .no_gradient = true},
         {"dtype=float64", "float32[3] = 1.5 -2 0", .no_gradient = true, .expect = "1.5 -2 0"},
         {"dtype=float32", "float16[3] = 1.5 -2 0", .no_gradient = true, .expect = "1.5 -2 0"},
         {"dtype=float32", "bfloat16[3] = 1.5 -2 0", .no_gradient = true, .expect = "1.5 -2 0"},
         {"dtype=int32", "float64[4] = 1.9 -1.9 3e9 -3e9", .expect = "1 -1 2147483647 -2147483648"},
         {"dtype=int8", "float64[3] = 1000 -1000 7.5", .expect = "127 -128 7"},
         {"dtype=uint8", "int32[3] = 300 -1 7", .expect = "255 0 7"},
         {"dtype=float32", "uint8[3] = 255 0 7", .expect = "255 0 7"},
         {"dtype=bool", "float64[3] = 0 0.5 -2", .expect = "0 1 1"},
         {"dtype=float64", "bool[2] = 1 0", .expect = "1 0"},
         {"dtype=int64", "int64[2] = 5 -7", .expect = "5 -7"},
         {"dtype=int64", "float64[2] = 5.5 -7.5", .expect = "5 -7"},
         {"dtype=float32", "float64[0,3]", .no_gradient = true},
         {"dtype=none", "float64[2]", .fails = "dtype must be"},
         {"dtype=complex64", "float64[2]", .fails = "dtype"})
