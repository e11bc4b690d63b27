/* embedding, one_hot, where, not_equal. */
#include "ops/cases.h"

OP_CASES(embedding, {"", "float64[5,3]; int32[4] labels:5"},
         {"", "float64[5,3]; int64[2,3] labels:5"}, {"", "float64[5,3]; uint8[] = 4"},
         {"", "float64[5,3]; int32[0]"}, {"", "float64[0,3]; int32[0]"},
         {"", "float64[2,0]; int32[1] = 1"},
         {"", "float64[3,2] = 1 2 3 4 5 6; int32[3] = 2 0 2", .expect = "5 6 1 2 5 6"},
         {"", "float64[3,2]; int32[2] = 1 3", .faults = "out of range"},
         {"", "float64[3,2]; int32[2] = -1 0", .faults = "out of range"},
         {"", "float64[3,2]; float64[2]", .fails = "integers"},
         {"", "float64[3]; int32[2]", .fails = "2 axes"},
         {"", "float64[3,2]; int32[1,1,1,1,1,1]", .fails = "at most 5"})

OP_CASES(embedding_grad, {"rows=5", "int32[6] labels:5; float64[6,3]"},
         {"rows=3", "int64[2,2] labels:3; float64[2,2,70]"}, {"rows=2", "int32[0]; float64[0,3]"},
         {"rows=0", "int32[0]; float64[0,3]"},
         {"rows=3", "int32[3] = 2 0 2; float64[3,2] = 1 2 3 4 5 6", .expect = "3 4 0 0 6 8"},
         {"rows=2", "int32[2] = 0 2; float64[2,1]", .faults = "out of range"},
         {"rows=2", "int32[2]; float64[3,1]", .fails = "axes of the ids"},
         {"rows=-1", "int32[2]; float64[2,1]", .fails = "rows=-1"})

OP_CASES(one_hot, {"depth=4", "int32[5] labels:4"}, {"depth=3, dtype=bool", "uint8[2,2] labels:3"},
         {"depth=3", "int32[0]"}, {"depth=3", "int32[3] = 2 0 3", .expect = "0 0 1 1 0 0 0 0 0"},
         {"depth=2, dtype=float16", "int64[2] = 1 -1", .expect = "0 1 0 0"},
         {"depth=0", "int32[3]", .fails = "depth=0"},
         {"depth=2", "float64[3]", .fails = "integers"})

OP_CASES(where, {"", "bool[2,3] labels:2; float64[2,3]; float64[2,3]"},
         {"", "bool[2,1] = 1 0; float64[2,3]; float64[2,3]"},
         {"", "bool[3] = 1 0 1; float64[2,3]; -"}, {"", "bool[] = 0; -; float64[2]"},
         {"", "bool[0,3]; float64[0,3]; float64[0,3]"},
         {"", "bool[3] = 1 0 1; int32[3] = 1 2 3; int32[3] = 4 5 6", .expect = "1 5 3"},
         {"", "bool[2] = 1 0; -; float64[2] = 4 5", .expect = "0 5"},
         {"", "bool[2]; -; -", .fails = "one of a and b"},
         {"", "uint8[2]; float64[2]; -", .fails = "must be bool"},
         {"", "bool[2,2] = 1 0 0 1; float64[2]; -"},
         {"", "bool[2,1] = 1 0; float64[3]; float64[2,1]"},
         {"", "bool[2,3] labels:2; float64[]; float64[1,3]"},
         {"", "bool[2,2] = 1 0 0 1; float64[] = 7; float64[2] = 4 5", .expect = "7 5 4 7"},
         {"", "bool[3]; float64[2]; -", .fails = "do not fit"},
         {"", "bool[2]; float64[2]; float64[3]", .fails = "do not fit"})

OP_CASES(not_equal, {"", "float64[2,3] onehot"}, {"", "int32[0]"},
         {"value=2", "int32[3] = 1 2 3", .expect = "1 0 1"})
