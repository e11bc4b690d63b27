/* matmul, add, broadcast_to, reshape. */
#include "ops/cases.h"

OP_CASES(matmul, {"", "float64[2,3]; float64[3,4]"},
         {"transpose_a=true", "float64[3,2]; float64[3,4]"},
         {"transpose_b=true", "float64[2,3]; float64[4,3]"},
         {"transpose_a=true, transpose_b=true", "float64[3,2]; float64[4,3]"},
         {"", "float64[2,5,3]; float64[2,3,7]"},
         {"transpose_b=true", "float64[3,2,1]; float64[3,4,1]"}, {"", "float64[0,3]; float64[3,4]"},
         {"", "float64[2,0]; float64[0,4]"},
         {"", "float64[2,2] = 1 2 3 4; float64[2,2] = 5 6 7 8", .expect = "19 22 43 50"},
         {"", "float64[2,3]; float64[2,4]", .fails = "inner sizes 3 and 2"},
         {"", "float64[2,3]; int32[3,4]", .fails = "dtypes"},
         {"", "float64[3]; float64[3,4]", .fails = "2 axes or more"})

OP_CASES(add, {"", "float64[2,3]; float64[2,3]"}, {"", "float64[2,3]; float64[3]"},
         {"", "float64[1,3]; float64[2,1]"}, {"", "float64[2,1,4]; float64[3,1]"},
         {"", "float64[]; float64[2,2]"}, {"", "float64[0,3]; float64[3]"},
         {"", "float64[2,3]; float64[2]", .fails = "do not fit"},
         {"", "int32[2]; int32[2]", .fails = "must be float"})

OP_CASES(broadcast_to, {"shape=[2,3]", "float64[3]"}, {"shape=[2,3]", "float64[2,1]"},
         {"shape=[4]", "float64[]"}, {"shape=[2,0]", "float64[1]"},
         {"shape=[2,2,2], scale=0.5", "float64[2,1] = 1 2", .expect = "0.5 0.5 1 1 0.5 0.5 1 1"},
         {"shape=[2,3]", "float64[2]", .fails = "cannot be broadcast"})

OP_CASES(reshape, {"shape=[6]", "float64[2,3]"}, {"shape=[3,1,2]", "float64[2,3]"},
         {"shape=[5]", "float64[2,3]", .fails = "numbers of elements differ"},
         {"shape=[-6]", "float64[2,3]", .fails = "numbers of elements differ"})
