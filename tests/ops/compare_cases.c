/* compare, logical, and the ops that divide with a rest. */
#include "ops/cases.h"

#define PAIR "float64[2,3] = 1 2 3 4 5 6; float64[3] = 3 2 1"
OP_CASES(compare, {"kind=equal", PAIR, .expect = "0 1 0 0 0 0"},
         {"kind=not_equal", PAIR, .expect = "1 0 1 1 1 1"},
         {"kind=greater", PAIR, .expect = "0 0 1 1 1 1"},
         {"kind=greater_equal", PAIR, .expect = "0 1 1 1 1 1"},
         {"kind=less", PAIR, .expect = "1 0 0 0 0 0"},
         {"kind=less_equal", PAIR, .expect = "1 1 0 0 0 0"},
         {"kind=less", "float64[2,3,2,4]; float64[2,1,1,4]"},
         {"kind=less", "float64[]; float64[3]"}, {"kind=less", "float64[0,3]; float64[3]"},
         {"kind=less", "int32[2]; int32[2]", .fails = "must be float"},
         {"kind=less", "float64[2]; float64[3]", .fails = "do not fit"},
         {"", "float64[2]; float64[2]", .fails = "kind"})

#define MASKS "bool[4] = 0 0 1 1; bool[4] = 0 1 0 1"
OP_CASES(logical, {"kind=and", MASKS, .expect = "0 0 0 1"}, {"kind=or", MASKS, .expect = "0 1 1 1"},
         {"kind=xor", MASKS, .expect = "0 1 1 0"},
         {"kind=or", "bool[2,3] labels:2; bool[2,1] = 1 0"}, {"kind=or", "bool[0]; bool[1] = 1"},
         {"kind=and", "float64[2]; bool[2]", .fails = "must be bool"},
         {"kind=and", "bool[2]; int32[2]", .fails = "dtypes"},
         {"kind=and", "bool[2]; bool[3]", .fails = "do not fit"})

OP_CASES(floor_divide, {"", "float64[2,3]; float64[3] positive", .no_gradient = true},
         {"", "float64[4] = 7 -7 7 -7; float64[4] = 2 2 -2 -2", .no_gradient = true,
          .expect = "3 -4 -4 3"},
         {"", "float64[0]; float64[1]"}, {"", "int32[2]; int32[2]", .fails = "must be float"})
OP_CASES(floor_mod, {"", "float64[2,3] = 0.3 1.4 2.5 -3.4 4.3 5.5; float64[3] = 1 0.9 2"},
         {"", "float64[5] = 7 -7 7 -7 4; float64[5] = 3 3 -3 -3 2", .no_gradient = true,
          .expect = "1 2 -2 -1 0"},
         {"", "float64[0]; float64[1]"}, {"", "float64[2]; float64[3]", .fails = "do not fit"})
OP_CASES(arctan2, {"", "float64[2,3]; float64[3]"}, {"", "float64[2,1] away; float64[2,3]"},
         {"", "float64[3] = 1 -1 0; float64[3] = 1 1 -1", .no_gradient = true,
          .expect = "0.78539816 -0.78539816 3.14159265"},
         {"", "float64[0]; float64[1]"})
