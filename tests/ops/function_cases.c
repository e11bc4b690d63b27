/* Functions by name, rounding, and where the gradient stops. */
#include "ops/cases.h"

OP_CASES(function, {"kind=arccos", "float64[4] = 0.1 0.4 0.7 -0.5"},
         {"kind=arccosh", "float64[3] = 1.5 2 4"}, {"kind=arcsin", "float64[4] = 0.1 0.4 0.7 -0.5"},
         {"kind=arcsinh", "float64[2,3]"}, {"kind=arctan", "float64[2,3]"},
         {"kind=arctanh", "float64[4] = 0.1 -0.3 0.5 0.25"}, {"kind=cos", "float64[2,3]"},
         {"kind=cosh", "float64[2,3]"}, {"kind=erf", "float64[2,3]"}, {"kind=exp2", "float64[2,3]"},
         {"kind=expm1", "float64[2,3]"}, {"kind=log10", "float64[2,3] positive"},
         {"kind=log1p", "float64[2,3] positive"}, {"kind=log2", "float64[2,3] positive"},
         {"kind=sin", "float64[2,3]"}, {"kind=sinh", "float64[2,3]"},
         {"kind=tan", "float64[4] = 0.1 0.5 -0.7 1"}, {"kind=sin", "float64[0,3]"},
         {"kind=log2", "float64[2] = 8 0.5", .expect = "3 -1"},
         {"kind=erf", "float64[2] = 0 1", .expect = "0 0.84270079"},
         {"kind=arccos", "float64[2] = 1 -1", .no_gradient = true, .expect = "0 3.14159265"},
         {"kind=sin", "int32[2]", .fails = "must be float"},
         {"kind=sine", "float64[2]", .fails = "kind"})
OP_CASES(function_grad,
         {"kind=sin", "float64[2] = 2 3; float64[2] = 0 3.14159265358979", .expect = "2 -3"},
         {"kind=log2", "float64[1] = 1; float64[1] = 2", .expect = "0.72134752"},
         {"kind=sin", "float64[0]; float64[0]"},
         {"kind=sin", "float64[2]; float64[3]", .fails = "float64[3]"})

#define HALVES "float64[6] = -1.5 -0.5 0.5 1.5 2.5 2.25"
OP_CASES(rounding, {"kind=ceil", HALVES, .no_gradient = true, .expect = "-1 0 1 2 3 3"},
         {"kind=floor", HALVES, .no_gradient = true, .expect = "-2 -1 0 1 2 2"},
         {"kind=rint", HALVES, .no_gradient = true, .expect = "-2 0 0 2 2 2"},
         {"kind=trunc", HALVES, .no_gradient = true, .expect = "-1 0 0 1 2 2"},
         {"kind=floor", "float64[2,3] = 0.5 1.5 2.5 -0.5 -1.5 0.25"}, {"kind=floor", "float64[0]"},
         {"kind=floor", "int32[2]", .fails = "must be float"})
OP_CASES(stop_gradient, {"", "float64[3] = 1 2 3", .no_gradient = true, .expect = "1 2 3"},
         {"", "float64[0]"})
