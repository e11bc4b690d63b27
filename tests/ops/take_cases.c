/* take and take_along with their gradients, argsort, running sums, products. */
#include "ops/cases.h"

OP_CASES(take, {"axis=1", "float64[2,3,4]; int32[5] = 2 0 0 1 2"},
         {"axis=-1", "float64[2,3]; int32[2] = 2 1"}, {"axis=0", "float64[4]; int32[3] = 3 3 0"},
         {"axis=0", "float64[2,3]; int32[0]"}, {"axis=0", "float64[2,0]; int32[1] = 1"},
         {"axis=1", "int64[2,2] = 1 2 3 4; int32[3] = 1 0 1", .expect = "2 1 2 4 3 4"},
         {"axis=0", "float64[2,3]; int32[2] = 0 2", .faults = "out of range"},
         {"axis=0", "float64[2,3]; int32[1] = -1", .faults = "out of range"},
         {"axis=0", "float64[2]; int64[1]", .fails = "must be int32"},
         {"axis=0", "float64[2]; int32[1,1]", .fails = "must have 1"},
         {"axis=1", "float64[2]; int32[1]", .fails = "axis=1"})
OP_CASES(take_grad,
         {"axis=1 size=3", "int32[4] = 2 0 0 2; float64[1,4] = 1 2 3 4", .expect = "5 0 5"},
         {"axis=0 size=3", "int32[2] = 2 1; float64[2,2]"},
         {"axis=0 size=2", "int32[0]; float64[0,2]", .expect = "0 0 0 0"},
         {"axis=0 size=2", "int32[1] = 2; float64[1]", .faults = "out of range"},
         {"axis=0 size=-1", "int32[1]; float64[1]", .fails = "size=-1"},
         {"axis=0 size=2", "int32[2]; float64[1]", .fails = "one part for each"})
OP_CASES(take_along, {"axis=1", "float64[2,3]; int32[2,2] = 2 0 1 1"},
         {"axis=0", "float64[3,2]; int32[4,2] labels:3"},
         {"axis=-1", "float64[2,2,3]; int32[2,2,3] labels:3"},
         {"axis=1", "float64[2,3]; int32[2,0]"},
         {"axis=1", "float64[2,2] = 1 2 3 4; int32[2,2] = 1 0 0 0", .expect = "2 1 3 3"},
         {"axis=1", "float64[1,2]; int32[1,1] = 2", .faults = "out of range"},
         {"axis=1", "float64[2,2]; int32[1,2]", .fails = "may differ along axis 1"},
         {"axis=1", "float64[2,2]; float64[2,2]", .fails = "must be int32"})
OP_CASES(take_along_grad,
         {"axis=1 size=3", "int32[1,4] = 2 0 0 2; float64[1,4] = 1 2 3 4", .expect = "5 0 5"},
         {"axis=0 size=3", "int32[2,2] labels:3; float64[2,2]"},
         {"axis=1 size=2", "int32[2,0]; float64[2,0]", .expect = "0 0 0 0"},
         {"axis=1 size=2", "int32[1,1] = -1; float64[1,1]", .faults = "out of range"},
         {"axis=1 size=2", "int32[2]; float64[2,2]", .fails = "int32[2]"})
OP_CASES(argsort, {"axis=1", "float64[2,3,4] distinct"}, {"axis=-1", "float64[3,7] distinct"},
         {"", "float64[4] = 3 1 2 1", .expect = "1 3 2 0"},
         {"descending=true", "float64[4] = 3 1 2 1", .expect = "0 2 1 3"},
         {"axis=0", "float64[3,2] = 3 1 1 2 2 3", .expect = "1 0 2 1 0 2"}, {"", "float64[2,0]"},
         {"", "float64[0,3]"}, {"axis=1", "float64[3]", .fails = "axis=1"},
         {"", "int32[3]", .fails = "must be float"})

OP_CASES(running_sum, {"axis=1", "float64[2,3,4]"}, {"axis=0 reverse=true", "float64[4,2]"},
         {"", "float64[4] = 1 2 3 4", .expect = "1 3 6 10"},
         {"reverse=true", "float64[4] = 1 2 3 4", .expect = "10 9 7 4"}, {"", "float64[2,0]"},
         {"axis=2", "float64[2,3]", .fails = "axis=2"}, {"", "int32[3]", .fails = "must be float"})
OP_CASES(product, {"axis=1", "float64[2,3,4]"}, {"", "float64[5]"}, {"axis=0", "float64[4,2]"},
         {"", "float64[2,3] = 1 0 3 4 0 0"}, {"", "float64[2,0]", .expect = "1 1"},
         {"", "float64[2,3] = 1 2 3 4 5 6", .expect = "6 120"},
         {"axis=2", "float64[2,3]", .fails = "axis=2"}, {"", "int32[3]", .fails = "must be float"})
OP_CASES(product_grad,
         {"", "float64[3,1] = 1 2 3; float64[3,3] = 1 2 3 4 0 5 0 0 7",
          .expect = "6 3 2 0 40 0 0 0 0"},
         {"axis=0", "float64[1,2]; float64[3,2]"}, {"", "float64[2,1]; float64[2,0]"},
         {"", "float64[2]; float64[2,3]", .fails = "one element for each line"})
