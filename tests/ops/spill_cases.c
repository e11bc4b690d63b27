/* The driver runs each node alone, on an empty file; that what was written is read again is seen in
 * tests/exec and tests/train. */
#include "ops/cases.h"

OP_CASES(spill_start, {"offset=0", "float64[2,3]", .expect = "1"}, {"offset=8192", "int8[5]"},
         {"offset=4096", "float64[0,3]", .expect = "1"}, {"offset=4096", "float64[]"},
         {"offset=-4096", "float64[2]", .fails = "multiple of 4096"},
         {"offset=100", "float64[2]", .fails = "multiple of 4096"})

OP_CASES(spill_wait, {"", "float64[2,3]; int64[] = 0"},
         {"", "float64[2,3]; int64[] = 0; double[4]"}, {"", "int8[7]; int64[] = 0"},
         {"", "float64[2]; float64[]", .fails = "must be a ticket"},
         {"", "float64[2]; int64[2]", .fails = "must be a ticket"})

OP_CASES(fetch_start, {"offset=0 shape=[2,3] dtype=float32", "uint8[0]", .expect = "0 0 0 0 0 0"},
         {"offset=4096 shape=[3] dtype=int8", "uint8[0]; double[4]", .expect = "0 0 0"},
         {"offset=0 shape=[] dtype=float64", "uint8[0]", .expect = "0"},
         {"offset=0 shape=[0] dtype=float64", "uint8[0]"},
         {"offset=1 shape=[2] dtype=float32", "uint8[0]", .fails = "multiple of 4096"},
         {"offset=0 shape=[2] dtype=float32", "uint8[1]", .fails = "what spill_wait gives"},
         {"offset=0 shape=[1,1,1,1,1,1,1,1,1] dtype=float32", "uint8[0]", .fails = "9 axes"})

OP_CASES(fetch_wait, {"", "float64[2] = 3 4; int64[] = 0", .expect = "3 4"},
         {"", "int8[2,2]; int64[] = 0"}, {"", "float64[0]; int64[] = 0"},
         {"", "float64[2]; int32[]", .fails = "must be a ticket"})
