/* permute, reorder, concat, slice, pad, repeat, fill. */
#include "ops/cases.h"

OP_CASES(permute, {"axes=[1,0]", "float64[2,3]"}, {"axes=[0,3,1,2]", "float64[2,3,2,4]"},
         {"axes=[2,0,1]", "float64[2,3,4]"}, {"axes=[0,1,2]", "float64[2,3,4]"},
         {"axes=[1,0]", "float64[0,3]"}, {"axes=[]", "float64[]"}, {"axes=[1,0]", "int8[2,3]"},
         {"axes=[1,0]", "float64[2,3] = 1 2 3 4 5 6", .expect = "1 4 2 5 3 6"},
         {"axes=[0,0]", "float64[2,3]", .fails = "once"},
         {"axes=[0]", "float64[2,3]", .fails = "each of the 2 axes"},
         {"axes=[0,2]", "float64[2,3]", .fails = "once"})

/* Here between plain values; tests/device/move_test.c has the other layouts. */
OP_CASES(reorder, {"", "float64[2,3,2,4]"}, {"", "float64[]"}, {"", "int8[3,0]"},
         {"", "float64[2,3] = 1 2 3 4 5 6", .expect = "1 2 3 4 5 6"})

OP_CASES(concat, {"", "float64[2,3]"}, {"", "float64[2,3]; float64[2,1]; float64[2,4]"},
         {"axis=0", "float64[2,3]; float64[1,3]"}, {"axis=1", "float64[2,3,2]; float64[2,1,2]"},
         {"", "float64[2,0]; float64[2,3]"}, {"", "float64[0,2]; float64[0,3]"},
         {"", "int32[2]; int32[3]"},
         {"", "float64[2,1] = 1 2; float64[2,2] = 3 4 5 6", .expect = "1 3 4 2 5 6"},
         {"", "float64[2,3]; float64[3,3]", .fails = "along axis 1 only"},
         {"", "float64[2,3]; float64[2]", .fails = "2 axes"},
         {"axis=2", "float64[2,3]; float64[2,3]", .fails = "there are 2 axes"},
         {"", "float64[2]; int32[2]", .fails = "dtypes"})

OP_CASES(slice, {"begin=[0,1], size=[2,2]", "float64[2,3]"},
         {"begin=[1,0,1], size=[-1,-1,2]", "float64[3,2,5]"},
         {"begin=[0,1], size=[2,-1], strides=[1,3]", "float64[2,8]"},
         {"begin=[1,0], size=[2,2], strides=[2,2]", "float64[4,3]"},
         {"begin=[0,3], size=[2,0]", "float64[2,3]"}, {"begin=[0], size=[0]", "float64[0]"},
         {"begin=[], size=[]", "float64[]"},
         {"begin=[1], size=[1]", "bool[2] = 0 1", .expect = "1"},
         {"begin=[1], size=[-1], strides=[2]", "float64[6] = 0 1 2 3 4 5", .expect = "1 3 5"},
         {"begin=[2,1], size=[1,-1], strides=[9223372036854775807,9223372036854775807]",
          "float64[3,2]"},
         {"begin=[0,2], size=[2,2]", "float64[2,3]", .fails = "do not lie in axis 1 of size 3"},
         {"begin=[0], size=[2], strides=[3]", "float64[3]", .fails = "do not lie"},
         {"begin=[-1], size=[1]", "float64[3]", .fails = "do not lie"},
         {"begin=[0], size=[1], strides=[0]", "float64[3]", .fails = "do not lie"},
         {"begin=[0], size=[1]", "float64[3,3]", .fails = "begin has 1 numbers"})

OP_CASES(pad, {"before=[0,1], after=[1,0]", "float64[2,3]"},
         {"before=[0,1,2,0], after=[0,1,0,0], value=-1.5", "float64[2,2,3,2]"},
         {"before=[1,0], after=[0,2], between=[2,1]", "float64[2,3]"},
         {"before=[0], after=[0]", "float64[3]"},
         {"before=[1], after=[2], between=[3]", "float64[0]"}, {"before=[], after=[]", "float64[]"},
         {"before=[1], after=[1], value=9", "int32[2] = 1 2", .expect = "9 1 2 9"},
         {"before=[1,0], after=[0,1], between=[0,1]", "float64[1,2] = 1 2",
          .expect = "0 0 0 0 1 0 2 0"},
         {"before=[1,0], after=[0,1], between=[9223372036854775807,9223372036854775807]",
          "float64[1,1]"},
         {"before=[-1], after=[0]", "float64[3]", .fails = "use slice"},
         {"before=[9223372036854775807], after=[9]", "float64[3]", .fails = "overflow"},
         {"before=[0], after=[0]", "float64[3,1]", .fails = "before has 1 numbers"})

OP_CASES(repeat, {"axis=1, repeats=2", "float64[2,3,2]"}, {"axis=0, repeats=3", "float64[2]"},
         {"axis=-1, repeats=2", "float64[2,3]"}, {"axis=2, repeats=2", "float64[1,2,2,1,2,1]"},
         {"axis=0, repeats=2", "float64[0,3]"}, {"axis=0, repeats=1", "float64[2]"},
         {"axis=0, repeats=2", "float64[2,2] = 1 2 3 4", .expect = "1 2 1 2 3 4 3 4"},
         {"axis=0, repeats=0", "float64[2]", .fails = "1 or more"},
         {"axis=1, repeats=2", "float64[2]", .fails = "there are 1 axes"})

OP_CASES(fill, {"shape=[2,2], value=2.5", "", .expect = "2.5 2.5 2.5 2.5"}, {"shape=[]", ""},
         {"shape=[0,3]", ""}, {"shape=[3], value=7, dtype=int32", "", .expect = "7 7 7"},
         {"shape=[2], value=1, dtype=bool", "", .expect = "1 1"},
         {"shape=[-1]", "", .fails = "possible type"},
         {"shape=[1,1,1,1,1,1,1]", "", .fails = "at most"},
         {"dtype=none", "", .fails = "possible type"})
