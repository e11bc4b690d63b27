/* max_pool2d, avg_pool2d, resize2d and their gradients.  Expected values are Keras's. */
#include "ops/cases.h"

OP_CASES(
    max_pool2d,
    {"pool_size=[3,3], strides=[2,2], padding=same", "float64[4,32,32,8] distinct",
     .no_gradient = true},
    {"", "float64[2,4,4,3] distinct"}, {"", "float64[2,4,4,3] distinct", .n_out = 1},
    {"padding=same", "float64[1,5,3,2] distinct", .n_out = 1},
    {"pool_size=[3,3], strides=[2,2], padding=same", "float64[1,6,5,2] distinct"},
    {"pool_size=[3,2], strides=[1,1]", "float64[1,5,4,2] distinct"},
    {"pool_size=[1,1], strides=[2,2]", "float64[1,5,4,2] distinct"},
    {"pool_size=[2,3], strides=[3,1]", "float64[1,7,5,1] distinct"},
    {"pool_size=[17,16], strides=[1,2], padding=same", "float64[1,6,7,1] distinct"},
    {"pool_size=[16,16], strides=[2,2], padding=same", "float64[1,18,3,1] distinct"},
    {"", "float64[1,2,2,67] distinct"}, {"", "float64[0,4,4,3]"}, {"", "float64[1,2,2,0]"},
    {"padding=same", "float64[1,2,3,1] = -inf -inf 1 -inf -inf nan", .expect = "-inf nan",
     .no_gradient = true},
    {"padding=same, pool_size=[2,2], strides=[2,2]",
     "float64[1,5,4,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 "
     "-0.75 2.75 0.5",
     .expect = "0.75 2 2.5 1.25 1.5 2.75"},
    {"pool_size=[3,2], strides=[2,1], padding=same",
     "float64[1,5,4,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 "
     "-0.75 2.75 0.5",
     .expect = "0.75 1 2 2 2.5 2.5 1.25 1.25 2.5 2.75 2.75 0.5"},
    {"pool_size=[1,1], strides=[2,2]",
     "float64[1,5,4,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 "
     "-0.75 2.75 0.5",
     .expect = "-2.75 -1.5 2.25 -2.25 1.5 2.75"},
    {"pool_size=[3,3], strides=[2,2], padding=same",
     "float64[1,5,4,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 "
     "-0.75 2.75 0.5",
     .expect = "1 2 2.5 1.25 2.75 2.75"},
    {"pool_size=[3,3], strides=[1,1]",
     "float64[1,5,4,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 "
     "-0.75 2.75 0.5",
     .expect = "2.25 2 2.5 2.5 2.75 2.75"},
    {"", "float64[1,1,4,1]", .fails = "the height of the input is 1, less than the window's 2"},
    {"pool_size=[0,2], strides=[1,1]", "float64[1,4,4,1]",
     .fails = "the window size of the height is 0"},
    {"strides=[2,0]", "float64[1,4,4,1]", .fails = "the stride of the width is 0"},
    {"strides=[2]", "float64[1,4,4,1]", .fails = "strides has 1 numbers"},
    {"pool_size=[1000000,1000000], padding=same", "float64[1,4,4,1]", .fails = "too large"},
    {"", "float64[4,4,1]", .fails = "4 axes"}, {"", "int32[1,4,4,1]", .fails = "must be float"})

OP_CASES(max_pool2d_bwd,
         {"input_shape=[4,32,32,8], pool_size=[3,3], strides=[2,2], padding=same",
          "float64[4,16,16,8]; uint8[4,16,16,8] labels:9", .no_gradient = true},
         {"input_shape=[1,4,4,1], pool_size=[3,3], strides=[2,2], padding=same",
          "float64[1,2,2,1] = 1 2 3 4; uint8[1,2,2,1] = 0 0 0 0",
          .expect = "1 0 2 0 0 0 0 0 3 0 4 0 0 0 0 0"},
         {"input_shape=[1,3,3,1], strides=[1,1]",
          "float64[1,2,2,1] = 1 2 3 4; uint8[1,2,2,1] = 3 2 1 0", .expect = "0 0 0 0 10 0 0 0 0"},
         {"input_shape=[2,5,4,3]", "float64[2,2,2,3]; uint8[2,2,2,3] labels:4"},
         {"input_shape=[1,17,17,2], pool_size=[17,17]",
          "float64[1,1,1,2]; int32[1,1,1,2] labels:289"},
         {"input_shape=[0,4,4,3]", "float64[0,2,2,3]; uint8[0,2,2,3]"},
         {"input_shape=[1,4,4,3]", "float64[1,2,2,3]; int32[1,2,2,3]", .fails = "must be uint8"},
         {"input_shape=[1,4,4,3]", "float64[1,2,2,3]; uint8[1,2,2,2]", .fails = "shapes"},
         {"input_shape=[1,4,6,3]", "float64[1,2,2,3]; uint8[1,2,2,3]",
          .fails = "must be float64[1,2,3,3]"})

OP_CASES(avg_pool2d,
         {"pool_size=[3,3], strides=[2,2], padding=same", "float64[4,32,32,8]",
          .no_gradient = true},
         {"", "float64[2,4,4,3]"}, {"padding=same", "float64[1,5,3,2]"},
         {"pool_size=[3,3], strides=[2,2], padding=same", "float64[1,6,5,2]"},
         {"pool_size=[3,2], strides=[1,1]", "float64[1,5,4,2]"},
         {"pool_size=[1,1], strides=[2,2]", "float64[1,5,4,2]"},
         {"pool_size=[9,8], strides=[1,2], padding=same", "float64[1,3,4,1]"},
         {"", "float64[1,2,2,67]"}, {"", "float64[0,4,4,3]"},
         {"padding=same, pool_size=[2,2], strides=[2,2]",
          "float64[1,5,4,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 "
          "-2 1.5 -0.75 2.75 0.5",
          .expect = "-1.1875 0.0625 0.9375 -0.6875 0.375 1.625"},
         {"pool_size=[3,2], strides=[2,1], padding=same",
          "float64[1,5,4,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 "
          "-2 1.5 -0.75 2.75 0.5",
          .expect = "-1.1875 -0.5625 0.0625 0.375 0.1666667 -0.1666667 -0.5 -0.6666667 0.5625 "
                    "1.1875 0.375 -0.75"},
         {"pool_size=[1,1], strides=[2,2]",
          "float64[1,5,4,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 "
          "-2 1.5 -0.75 2.75 0.5",
          .expect = "-2.75 -1.5 2.25 -2.25 1.5 2.75"},
         {"pool_size=[3,3], strides=[2,2], padding=same",
          "float64[1,5,4,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 "
          "-2 1.5 -0.75 2.75 0.5",
          .expect = "-0.875 0.0625 0 -0.5 0.875 0.375"},
         {"pool_size=[3,3], strides=[1,1]",
          "float64[1,5,4,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 "
          "-2 1.5 -0.75 2.75 0.5",
          .expect = "-0.5833333 -0.2777778 0 -0.3333333 0.5833333 0.25"},
         {"pool_size=[5,2]", "float64[1,4,4,1]", .fails = "less than the window's 5"},
         {"strides=[-1,1]", "float64[1,4,4,1]", .fails = "the stride of the height is -1"})

OP_CASES(avg_pool2d_bwd,
         {"input_shape=[4,32,32,8], pool_size=[3,3], strides=[2,2], padding=same",
          "float64[4,16,16,8]", .no_gradient = true},
         {"input_shape=[1,6,5,2], pool_size=[3,3], strides=[2,2], padding=same",
          "float64[1,3,3,2]"},
         {"input_shape=[1,4,4,1], pool_size=[1,1], strides=[3,3]", "float64[1,2,2,1]"},
         {"input_shape=[1,3,2,1], padding=same", "float64[1,2,1,1] = 4 2", .expect = "1 1 1 1 1 1"},
         {"input_shape=[1,6,5,2]", "float64[1,3,3,2]", .fails = "must be float64[1,3,2,2]"})

OP_CASES(
    resize2d,
    {"height=28, width=30, interpolation=bilinear", "float64[2,14,15,6]", .no_gradient = true},
    {"height=4, width=6", "float64[2,2,3,2]"},
    {"height=4, width=6, interpolation=bilinear", "float64[2,2,3,2]"},
    {"height=3, width=2, interpolation=bilinear", "float64[1,5,7,1]"},
    {"height=7, width=5, interpolation=bilinear", "float64[1,3,1,2]"},
    {"height=5, width=2", "float64[1,3,5,1]"}, {"height=2, width=2", "float64[0,1,1,3]"},
    {"height=2, width=2, interpolation=bilinear", "float64[1,1,1,67]"},
    {"height=1, width=4, interpolation=bilinear", "float64[1,1,2,1] = 0 1",
     .expect = "0 .25 .75 1"},
    {"height=2, width=4", "float64[1,1,2,1] = 0 1", .expect = "0 0 1 1 0 0 1 1"},
    {"height=4, width=9, interpolation=bilinear", "float64[1,2,3,1] = -2.75 0.75 -1.5 2 -0.25 -2.5",
     .expect =
         "-2.75 -2.75 -1.583333 -0.4166665 0.75 -1.192093e-07 -0.7500002 -1.5 -1.5 -1.5625 -1.5625 "
         "-0.875 -0.1874999 0.5 -0.2500001 -1 -1.75 -1.75 0.8125 0.8125 0.5416665 0.2708332 0 "
         "-0.7500001 -1.5 -2.25 -2.25 2 2 1.25 0.4999998 -0.25 -1 -1.75 -2.5 -2.5"},
    {"height=4, width=9, interpolation=nearest", "float64[1,2,3,1] = -2.75 0.75 -1.5 2 -0.25 -2.5",
     .expect =
         "-2.75 -2.75 -2.75 0.75 0.75 0.75 -1.5 -1.5 -1.5 -2.75 -2.75 -2.75 0.75 0.75 0.75 -1.5 "
         "-1.5 -1.5 2 2 2 -0.25 -0.25 -0.25 -2.5 -2.5 -2.5 2 2 2 -0.25 -0.25 -0.25 -2.5 -2.5 -2.5"},
    {"height=3, width=2, interpolation=bilinear", "float64[1,2,3,1] = -2.75 0.75 -1.5 2 -0.25 -2.5",
     .expect = "-1.875 -0.9375 -0.21875 -1.4375 1.4375 -1.9375"},
    {"height=5, width=4, interpolation=nearest", "float64[1,2,3,1] = -2.75 0.75 -1.5 2 -0.25 -2.5",
     .expect = "-2.75 0.75 0.75 -1.5 -2.75 0.75 0.75 -1.5 2 -0.25 -0.25 -2.5 2 -0.25 -0.25 -2.5 2 "
               "-0.25 -0.25 -2.5"},
    {"height=1, width=2, interpolation=nearest", "float64[1,2,3,1] = -2.75 0.75 -1.5 2 -0.25 -2.5",
     .expect = "2 -2.5"},
    {"height=0, width=4", "float64[1,2,2,1]", .fails = "height 0 and width 4"},
    {"height=2, width=-4", "float64[1,2,2,1]", .fails = "height 2 and width -4"},
    {"height=2, width=2", "float64[1,0,2,1]", .fails = "cannot be resized"},
    {"height=2, width=2", "float64[2,2,1]", .fails = "4 axes"},
    {"height=2", "float64[1,2,2,1]", .fails = "width"})

OP_CASES(resize2d_bwd,
         {"input_shape=[2,14,15,6], interpolation=bilinear", "float64[2,28,30,6]",
          .no_gradient = true},
         {"input_shape=[1,2,3,2]", "float64[1,4,9,2]"},
         {"input_shape=[1,5,7,1], interpolation=bilinear", "float64[1,3,2,1]"},
         {"input_shape=[1,1,2,1], interpolation=bilinear", "float64[1,1,4,1] = 1 2 3 4",
          .expect = "3.25 6.75"},
         {"input_shape=[2,5,7,1]", "float64[1,3,2,1]", .fails = "must be float64[2,3,2,1]"})
