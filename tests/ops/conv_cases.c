/* conv2d, depthwise_conv2d, conv2d_transpose and their gradients.  Expected values are Keras's. The
 * larger cases are worth several threads. */
#include "ops/cases.h"

OP_CASES(
    conv2d, {"padding=same", "float64[2,11,9,6]; float64[3,3,6,10]", .no_gradient = true},
    {"groups=2", "float64[3,9,9,8]; float64[3,3,4,12]", .no_gradient = true},
    {"", "float64[2,5,4,3]; float64[3,3,3,2]"}, {"", "float64[1,1,1,1]; float64[1,1,1,1]"},
    {"padding=same", "float64[2,5,4,3]; float64[3,3,3,2]"},
    {"padding=same, strides=[2,2]", "float64[1,5,6,2]; float64[3,3,2,3]"},
    {"padding=same, strides=[3,2]", "float64[1,7,6,1]; float64[2,4,1,2]"},
    {"strides=[2,3]", "float64[1,7,8,1]; float64[1,7,1,2]"},
    {"strides=[3,3]", "float64[1,5,4,2]; float64[2,2,2,1]"},
    {"strides=[3,3]", "float64[1,7,7,2]; float64[1,1,2,5]"},
    {"dilation=[2,2]", "float64[1,6,5,2]; float64[3,2,2,1]"},
    {"dilation=[2,1], padding=same", "float64[1,3,4,1]; float64[3,3,1,2]"},
    {"dilation=[3,3], padding=same", "float64[1,2,2,1]; float64[2,2,1,1]"},
    {"groups=2, padding=same", "float64[1,3,4,4]; float64[3,2,2,6]"},
    {"groups=4", "float64[2,3,3,4]; float64[2,2,1,4]"},
    {"groups=3, strides=[2,1]", "float64[1,4,3,3]; float64[2,3,1,6]"},
    {"padding=same", "float64[1,2,2,1]; float64[5,4,1,1]"},
    {"", "float64[1,2,3,9]; float64[1,2,9,9]"},
    {"padding=same", "float64[1,1,9,17]; float64[1,1,17,13]", .no_gradient = true},
    {"", "float64[1,1,3,2]; float64[1,2,2,67]"},
    {"groups=2", "float64[1,1,3,6]; float64[1,2,3,132]", .no_gradient = true},
    {"padding=same", "float64[0,4,4,2]; float64[3,3,2,3]"},
    {"padding=same", "float64[2,0,4,2]; float64[3,3,2,3]"},
    {"", "float64[1,2,2,0]; float64[1,1,0,3]"}, {"", "float64[1,2,2,3]; float64[1,1,3,0]"},
    {"strides=[2,2], padding=same",
     "float64[1,5,4,2] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 "
     "-0.75 2.75 0.5 -1.75 1.75 -0.5 -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 "
     "0.25 -2 1.5; float64[3,3,2,2] = 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 -0.75 2.75 0.5 -1.75 1.75 "
     "-0.5 -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 -0.75 2.75 "
     "0.5 -1.75 1.75",
     .expect = "-21.875 4.5 2.0625 9.375 -12.1875 -11.875 9 5.0625 13.625 -8.5 -0.0625 -1.125"},
    {"padding=same",
     "float64[1,4,5,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 "
     "-0.75 2.75 0.5; float64[2,4,1,2] = 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 -0.75 2.75 0.5 -1.75 1.75 "
     "-0.5 -2.75 0.75",
     .expect =
         "5.375 3.625 -12.8125 1.75 6.1875 3.75 3.9375 -6.0625 -2 1.9375 5.6875 3.4375 -12.6875 "
         "1.6875 6.3125 3.6875 5.25 -6.6875 -1.75 1.375 6 3.25 -12.5625 1.625 6.4375 3.625 6.5625 "
         "-7.3125 -1.5 0.8125 2.75 1.25 -5.5 6.9375 4.9375 -1.1875 4.6875 -0.9375 0.625 -6.6875"},
    {"padding=same, dilation=[2,2]",
     "float64[1,6,5,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 "
     "-0.75 2.75 0.5 -1.75 1.75 -0.5 -2.75 0.75 -1.5 2 -0.25 -2.5 1; float64[3,2,1,1] = 0 -2.25 "
     "1.25 -1 2.5 0.25",
     .expect = "-0.4375 -7.8125 2.6875 -4.0625 8.75 -0.625 -7.0625 3.4375 -3.3125 9.6875 -2.5 "
               "-2.9375 -1.75 -2 -3.75 -3.25 -2.75 -1.5625 -1.8125 -2.8125 -4.5625 0.5625 -0.6875 "
               "-1.9375 -3.4375 -5.375 0.0625 -1.1875 -2.4375 -3.125"},
    {"strides=[3,2], padding=same",
     "float64[1,4,4,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 -2; "
     "float64[3,3,1,1] = 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 -0.75",
     .expect = "0.25 2.625 4.5 -8.0625"},
    {"groups=2",
     "float64[1,2,3,4] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 "
     "-0.75 2.75 0.5 -1.75 1.75 -0.5 -2.75; float64[1,2,2,4] = 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 "
     "-0.75 2.75 0.5 -1.75 1.75 -0.5 -2.75 0.75",
     .expect = "-2.3125 6.9375 -1.9375 1.8125 -7.9375 6.125 -0.8125 2 3.8125 7.375 4.3125 -7.6875 "
               "2.5 -9.25 9.75 -3.1875"},
    {"", "float64[1,2,4,1]; float64[3,3,1,1]",
     .fails = "the height of the input is 2, less than the window's 3"},
    {"dilation=[1,3]", "float64[1,4,5,1]; float64[2,3,1,1]",
     .fails = "the width of the input is 5, less than the window's 7"},
    {"", "float64[1,4,4,2]; float64[3,3,3,1]", .fails = "takes 3 channels per group"},
    {"groups=2", "float64[1,4,4,4]; float64[3,3,4,2]", .fails = "in 2 groups has 2"},
    {"groups=2", "float64[1,4,4,3]; float64[3,3,1,2]",
     .fails = "groups=2 must be positive and divide the 3"},
    {"groups=2", "float64[1,4,4,4]; float64[3,3,2,3]", .fails = "and the 3 out"},
    {"groups=0", "float64[1,4,4,4]; float64[3,3,4,2]", .fails = "groups=0"},
    {"strides=[0,1]", "float64[1,4,4,1]; float64[3,3,1,1]",
     .fails = "the stride of the height is 0"},
    {"strides=[1,-2]", "float64[1,4,4,1]; float64[3,3,1,1]",
     .fails = "the stride of the width is -2"},
    {"strides=[2]", "float64[1,4,4,1]; float64[3,3,1,1]", .fails = "strides has 1 numbers"},
    {"dilation=[0,1]", "float64[1,4,4,1]; float64[3,3,1,1]",
     .fails = "the dilation of the height is 0"},
    {"dilation=[1,9223372036854775807]", "float64[1,4,4,1]; float64[3,3,1,1]",
     .fails = "the dilation of the width is 9223372036854775807"},
    {"dilation=[1,2], strides=[2,1]", "float64[1,9,9,1]; float64[3,3,1,1]",
     .fails = "strides=[2,1] together with dilation=[1,2]"},
    {"", "float64[1,4,4,1]; float64[0,3,1,1]", .fails = "the window size of the height is 0"},
    {"", "float64[4,4,1]; float64[3,3,1,1]", .fails = "4 axes"},
    {"", "float64[1,4,4,1]; float64[3,3,1]", .fails = "4 axes"},
    {"", "int32[1,4,4,1]; int32[3,3,1,1]", .fails = "must be float"},
    {"", "float64[1,4,4,1]; int32[3,3,1,1]", .fails = "dtypes"})

OP_CASES(conv2d_bwd_data,
         {"input_shape=[2,11,9,6], padding=same", "float64[2,11,9,10]; float64[3,3,6,10]",
          .no_gradient = true},
         {"input_shape=[2,13,11,8], strides=[2,2], groups=2",
          "float64[2,6,5,20]; float64[3,3,4,20]", .no_gradient = true},
         {"input_shape=[2,5,4,3]", "float64[2,3,2,2]; float64[3,3,3,2]"},
         {"input_shape=[1,5,6,9], padding=same, strides=[2,3]",
          "float64[1,3,2,5]; float64[3,2,9,5]"},
         {"input_shape=[1,6,5,8], dilation=[2,2]", "float64[1,2,3,7]; float64[3,2,8,7]"},
         {"input_shape=[1,3,4,18], groups=2", "float64[1,2,4,10]; float64[2,1,9,10]"},
         {"input_shape=[1,4,4,2], groups=2, strides=[2,2]", "float64[1,2,2,4]; float64[1,1,1,4]"},
         {"input_shape=[0,5,4,3]", "float64[0,3,2,2]; float64[3,3,3,2]"},
         {"input_shape=[2,5,4,3]", "float64[2,3,3,2]; float64[3,3,3,2]",
          .fails = "input 0 is float64[2,3,3,2] and must be float64[2,3,2,2]"},
         {"input_shape=[5,4,3]", "float64[2,3,2,2]; float64[3,3,3,2]", .fails = "must have 4"},
         {"input_shape=[2,-5,4,3]", "float64[2,3,2,2]; float64[3,3,3,2]", .fails = "is no shape"},
         {"", "float64[2,3,2,2]; float64[3,3,3,2]", .fails = "input_shape"})

OP_CASES(conv2d_bwd_weights,
         {"kernel_shape=[3,3,6,10], padding=same", "float64[2,11,9,6]; float64[2,11,9,10]",
          .no_gradient = true},
         {"kernel_shape=[3,3,4,20], strides=[2,2], groups=2",
          "float64[2,13,11,8]; float64[2,6,5,20]", .no_gradient = true},
         {"kernel_shape=[3,3,3,2]", "float64[2,5,4,3]; float64[2,3,2,2]"},
         {"kernel_shape=[3,2,2,5], padding=same, strides=[2,3]",
          "float64[1,5,6,2]; float64[1,3,2,5]"},
         {"kernel_shape=[3,2,2,3], dilation=[2,2]", "float64[1,6,5,2]; float64[1,2,3,3]"},
         {"kernel_shape=[2,1,3,4], groups=2", "float64[1,3,4,6]; float64[1,2,4,4]"},
         {"kernel_shape=[1,1,1,4], groups=2, strides=[2,2]", "float64[1,4,4,2]; float64[1,2,2,4]"},
         {"kernel_shape=[1,2,35,70]", "float64[1,2,7,35]; float64[1,2,6,70]", .no_gradient = true},
         {"kernel_shape=[5,4,1,1], padding=same", "float64[1,2,2,1]; float64[1,2,2,1]"},
         {"kernel_shape=[3,3,3,2]", "float64[0,5,4,3]; float64[0,3,2,2]"},
         {"kernel_shape=[3,3,3,2]", "float64[2,5,4,3]; float64[2,3,3,2]",
          .fails = "input 1 is float64[2,3,3,2] and must be float64[2,3,2,2]"},
         {"kernel_shape=[3,3,4,2]", "float64[2,5,4,3]; float64[2,3,2,2]",
          .fails = "4 channels per group"},
         {"kernel_shape=[]", "float64[2,5,4,3]; float64[2,3,2,2]", .fails = "must have 4"})

OP_CASES(
    conv2d_transpose,
    {"padding=same, strides=[2,2]", "float64[2,6,7,9]; float64[3,3,10,9]", .no_gradient = true},
    {"", "float64[2,3,2,3]; float64[3,3,2,3]"},
    {"padding=same, strides=[2,2]", "float64[1,2,3,2]; float64[3,3,3,2]"},
    {"padding=same, strides=[3,2]", "float64[1,2,2,1]; float64[2,5,2,1]"},
    {"strides=[2,3]", "float64[1,3,2,2]; float64[4,2,1,2]"},
    {"padding=same, dilation=[2,2]", "float64[1,4,3,1]; float64[2,3,2,1]"},
    {"padding=same, strides=[2,2], output_padding=[0,1]", "float64[1,3,3,1]; float64[3,3,1,1]"},
    {"strides=[2,2]", "float64[0,3,3,1]; float64[3,3,2,1]"},
    {"strides=[2,2], padding=same",
     "float64[1,2,3,2] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25; float64[3,3,1,2] "
     "= 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 -0.75 2.75 0.5 -1.75 1.75 -0.5 -2.75 0.75 -1.5 2",
     .expect = "-1.6875 -4.1875 -11.1875 -3.875 2.375 2.1875 6.625 4.125 3.3125 6.625 -7.5 -6.6875 "
               "-2.375 10.625 4.1875 8.4375 9.875 -5.25 -3.875 -4.1875 -1.8125 -1.6875 7.5 5.125"},
    {"strides=[3,3], padding=same",
     "float64[1,2,2,1] = -2.75 0.75 -1.5 2; float64[2,2,1,1] = 0 -2.25 1.25 -1",
     .expect = "0 6.1875 0 0 -1.6875 0 -3.4375 2.75 0 0.9375 -0.75 0 0 0 0 0 0 0 0 3.375 0 0 -4.5 "
               "0 -1.875 1.5 0 2.5 -2 0 0 0 0 0 0 0"},
    {"strides=[3,3], padding=valid",
     "float64[1,2,2,1] = -2.75 0.75 -1.5 2; float64[2,2,1,1] = 0 -2.25 1.25 -1",
     .expect = "0 6.1875 0 0 -1.6875 0 -3.4375 2.75 0 0.9375 -0.75 0 0 0 0 0 0 0 0 3.375 0 0 -4.5 "
               "0 -1.875 1.5 0 2.5 -2 0 0 0 0 0 0 0"},
    {"strides=[2,2], padding=valid",
     "float64[1,2,2,1] = -2.75 0.75 -1.5 2; float64[4,3,1,1] = 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 "
     "-0.75 2.75 0.5 -1.75",
     .expect = "0 6.1875 -3.4375 -1.6875 0.9375 2.75 -6.875 -1.4375 1.875 0.1875 5.5 -0.75 -1.3125 "
               "-3.375 1.9375 -6.0625 -5.125 4.5 5.375 -0.8125 3 -2.25 -2.875 3 -1.5 -4.125 -0.75 "
               "8.125 1 -3.5"},
    {"strides=[2,2], padding=same",
     "float64[1,2,2,1] = -2.75 0.75 -1.5 2; float64[4,5,1,1] = 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 "
     "-0.75 2.75 0.5 -1.75 1.75 -0.5 -2.75 0.75 -1.5 2 -0.25 -2.5",
     .expect = "5.5 -3.9375 0.5625 -6.4375 8.1875 -6.3125 -2.9375 7.625 7.125 -6.6875 -3.3125 7.25 "
               "2.625 -1.625 -2.75 7.625"},
    {"strides=[2,2], padding=same, output_padding=[1,1]",
     "float64[1,3,3,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25; float64[3,3,1,1] = 0 -2.25 "
     "1.25 -1 2.5 0.25 -2 1.5 -0.75",
     .expect = "0 6.1875 -3.4375 -1.6875 0.9375 3.375 2.75 -6.875 -1.4375 1.875 1.6875 -3.75 5.5 "
               "-8.625 3.0625 1.6875 2.125 3.375 -2 5 0.75 -0.625 2.4375 -6.25 -4 0.75 0.25 2.4375 "
               "3.625 -8.8125 -1 2.5 1.5 -3.125 -2.5625 5.625"},
    {"strides=[2,2], padding=same, output_padding=[0,0]",
     "float64[1,3,3,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25; float64[3,3,1,1] = 0 -2.25 "
     "1.25 -1 2.5 0.25 -2 1.5 -0.75",
     .expect = "-6.875 -1.4375 1.875 1.6875 -3.75 -8.625 3.0625 1.6875 2.125 3.375 5 0.75 -0.625 "
               "2.4375 -6.25 0.75 0.25 2.4375 3.625 -8.8125 2.5 1.5 -3.125 -2.5625 5.625"},
    {"strides=[2,2], padding=valid, output_padding=[1,1]",
     "float64[1,2,2,1] = -2.75 0.75 -1.5 2; float64[3,3,1,1] = 0 -2.25 1.25 -1 2.5 0.25 -2 1.5 "
     "-0.75",
     .expect =
         "0 6.1875 -3.4375 -1.6875 0.9375 0 2.75 -6.875 -1.4375 1.875 0.1875 0 5.5 -0.75 -1.3125 "
         "-3.375 1.9375 0 1.5 -3.75 -2.375 5 0.5 0 3 -2.25 -2.875 3 -1.5 0 0 0 0 0 0 0"},
    {"strides=[1,1], padding=same, dilation=[2,2]",
     "float64[1,3,3,1] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25; float64[2,2,1,1] = 0 -2.25 "
     "1.25 -1",
     .expect = "0 -4.5 0.5625 0.9375 -1.375 2.0625 -0.3125 -5.125 0.25"},
    {"strides=[1,1], padding=valid, dilation=[2,2]",
     "float64[1,3,2,1] = -2.75 0.75 -1.5 2 -0.25 -2.5; float64[2,2,1,1] = 0 -2.25 1.25 -1",
     .expect = "0 0 6.1875 -1.6875 0 0 3.375 -4.5 -3.4375 0.9375 3.3125 4.875 -1.875 2.5 1.5 -2 "
               "-0.3125 -3.125 0.25 2.5"},
    {"", "float64[1,2,2,3]; float64[3,3,2,4]",
     .fails = "input 0 is float64[1,2,2,3] and must be float64[1,2,2,4]"},
    {"strides=[2,0]", "float64[1,2,2,1]; float64[3,3,2,1]",
     .fails = "the stride of the width is 0"},
    {"strides=[2,2], dilation=[2,2]", "float64[1,2,2,1]; float64[3,3,2,1]",
     .fails = "together with dilation"},
    {"strides=[2,2], output_padding=[2,0]", "float64[1,2,2,1]; float64[3,3,2,1]",
     .fails = "output_padding 2 must be at least 0 and less than the stride 2"},
    {"", "float64[2,2,1]; float64[3,3,2,1]", .fails = "4 axes"})

OP_CASES(depthwise_conv2d,
         {"padding=same", "float64[2,16,16,12]; float64[3,3,12,1]", .no_gradient = true},
         {"", "float64[2,5,4,3]; float64[3,3,3,1]"},
         {"padding=same", "float64[1,4,5,2]; float64[3,3,2,3]"},
         {"padding=same, strides=[2,2]", "float64[1,4,5,2]; float64[2,4,2,1]"},
         {"strides=[3,2]", "float64[1,5,5,1]; float64[1,2,1,2]"},
         {"dilation=[2,2], padding=same", "float64[1,4,5,2]; float64[3,2,2,2]"},
         {"", "float64[1,2,2,70]; float64[2,1,70,1]"}, {"", "float64[1,2,1,23]; float64[2,1,23,3]"},
         {"", "float64[0,4,4,2]; float64[3,3,2,1]"},
         {"strides=[2,2], padding=same",
          "float64[1,4,3,2] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 "
          "-2 1.5 -0.75 2.75 0.5 -1.75 1.75 -0.5 -2.75; float64[3,3,2,2] = 0 -2.25 1.25 -1 2.5 "
          "0.25 -2 1.5 -0.75 2.75 0.5 -1.75 1.75 -0.5 -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 "
          "-2.25 1.25 -1 2.5 0.25 -2 1.5 -0.75 2.75 0.5 -1.75 1.75",
          .expect = "-4.5625 -3.5 7.0625 -4.625 6.5 -5 8.0625 -13.3125 -8.5625 8.125 -2.1875 6 "
                    "1.4375 -0.3125 -5.125 9.0625"},
         {"dilation=[2,2]",
          "float64[1,4,4,2] = -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25 0 -2.25 1.25 -1 2.5 0.25 "
          "-2 1.5 -0.75 2.75 0.5 -1.75 1.75 -0.5 -2.75 0.75 -1.5 2 -0.25 -2.5 1 -1.25 2.25; "
          "float64[2,2,2,1] = 0 -2.25 1.25 -1 2.5 0.25 -2 1.5",
          .expect = "6.9375 3.25 9.125 -7.25 5.625 -1.375 7.8125 2.5"},
         {"", "float64[1,4,4,2]; float64[3,3,3,1]", .fails = "is for 3 channels"},
         {"", "float64[1,2,4,2]; float64[3,3,2,1]", .fails = "less than the window's 3"},
         {"strides=[2,2], dilation=[2,2]", "float64[1,9,9,2]; float64[3,3,2,1]",
          .fails = "together with"},
         {"strides=[-1,1]", "float64[1,4,4,2]; float64[3,3,2,1]",
          .fails = "the stride of the height is -1"})

OP_CASES(depthwise_conv2d_bwd_data,
         {"input_shape=[2,16,16,12], padding=same", "float64[2,16,16,12]; float64[3,3,12,1]",
          .no_gradient = true},
         {"input_shape=[1,4,5,2], padding=same, strides=[2,2]",
          "float64[1,2,3,6]; float64[3,3,2,3]"},
         {"input_shape=[1,4,5,2], dilation=[2,2]", "float64[1,2,3,2]; float64[2,2,2,1]"},
         {"input_shape=[1,4,5,2]", "float64[1,2,3,6]; float64[2,2,2,3]",
          .fails = "must be float64[1,3,4,6]"})

OP_CASES(depthwise_conv2d_bwd_weights,
         {"kernel_shape=[3,3,12,1], padding=same", "float64[2,16,16,12]; float64[2,16,16,12]",
          .no_gradient = true},
         {"kernel_shape=[3,3,2,3], padding=same, strides=[2,2]",
          "float64[1,4,5,2]; float64[1,2,3,6]"},
         {"kernel_shape=[2,2,2,1], dilation=[2,2]", "float64[1,4,5,2]; float64[1,2,3,2]"},
         {"kernel_shape=[5,5,20,1], padding=same", "float64[3,9,7,20]; float64[3,9,7,20]",
          .no_gradient = true},
         {"kernel_shape=[5,5,18,1], padding=same, strides=[2,2]",
          "float64[2,8,11,18]; float64[2,4,6,18]", .no_gradient = true},
         {"kernel_shape=[7,7,4,1], padding=same, strides=[3,2]",
          "float64[1,5,4,4]; float64[1,2,2,4]", .no_gradient = true},
         {"kernel_shape=[3,9,8,1], dilation=[2,1], padding=same",
          "float64[2,5,20,8]; float64[2,5,20,8]", .no_gradient = true},
         {"kernel_shape=[2,2,3,1]", "float64[1,4,5,2]; float64[1,2,3,2]",
          .fails = "is for 3 channels"})
