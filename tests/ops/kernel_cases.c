#include "ops/kernel_cases.h"

#include "ops/ops.h"

#define CASE(name, ...)               \
  {                                   \
    &snug__op_##name, { __VA_ARGS__ } \
  }

/* A convolution and its two gradients: images x, kernel k, result y. */
#define CONV(params, x, k, y)                                                                  \
  CASE(conv2d, params, "float64[" x "]; float64[" k "]"),                                      \
      CASE(conv2d_bwd_data, params ", input_shape=[" x "]", "float64[" y "]; float64[" k "]"), \
      CASE(conv2d_bwd_weights, params ", kernel_shape=[" k "]", "float64[" x "]; float64[" y "]")
#define DEPTHWISE(params, x, k, y)                                        \
  CASE(depthwise_conv2d, params, "float64[" x "]; float64[" k "]"),       \
      CASE(depthwise_conv2d_bwd_data, params ", input_shape=[" x "]",     \
           "float64[" y "]; float64[" k "]"),                             \
      CASE(depthwise_conv2d_bwd_weights, params ", kernel_shape=[" k "]", \
           "float64[" x "]; float64[" y "]")

/* All three products of a dense layer. */
#define DENSE(n, i, o)                                                                \
  CASE(matmul, "", "float64[" n "," i "]; float64[" i "," o "]"),                     \
      CASE(matmul, "transpose_b=true", "float64[" n "," o "]; float64[" i "," o "]"), \
      CASE(matmul, "transpose_a=true", "float64[" n "," i "]; float64[" n "," o "]")

/* With bias and activation within. */
#define EPILOGUE(op, params, x, k, c)                                                        \
  CASE(op, "activation=relu" params, "float64[" x "]; float64[" k "]; float64[" c "]"),      \
      CASE(op, "activation=relu, max_value=6" params,                                        \
           "float64[" x "]; float64[" k "]; float64[" c "]"),                                \
      CASE(op, "activation=swish" params, "float64[" x "]; float64[" k "]; float64[" c "]"), \
      CASE(op, "activation=relu" params, "float64[" x "]; float64[" k "]; -")

#define POOLS(params, x, y)                                            \
  CASE(max_pool2d, params, "float64[" x "] distinct"),                 \
      CASE(max_pool2d, params, "float64[" x "] distinct", .n_out = 1), \
      CASE(max_pool2d_bwd, params ", input_shape=[" x "]",             \
           "float64[" y "]; uint8[" y "] labels:4"),                   \
      CASE(avg_pool2d, params, "float64[" x "]"),                      \
      CASE(avg_pool2d_bwd, params ", input_shape=[" x "]", "float64[" y "]")

#define RESIZE(params, to, x, y)                   \
  CASE(resize2d, params "," to, "float64[" x "]"), \
      CASE(resize2d_bwd, params ", input_shape=[" x "]", "float64[" y "]")

/* Images x of c channels. */
#define BATCH_NORM(x, c)                                                                         \
  CASE(batch_norm_train, "", "float64[" x "]; float64[" c "]; float64[" c "]"),                  \
      CASE(batch_norm_train_grad, "",                                                            \
           "float64[" x "]; float64[" x "]; float64[" c "]; float64[" c "] positive; float64[" c \
           "] positive"),                                                                        \
      CASE(batch_norm_infer, "",                                                                 \
           "float64[" x "]; float64[" c "]; float64[" c "]; float64[" c "]; float64[" c          \
           "] positive"),                                                                        \
      CASE(batch_norm_infer_grad, "",                                                            \
           "float64[" x "]; float64[" x "]; float64[" c "]; float64[" c "]; float64[" c          \
           "] positive")

/* The same with a residual and an activation. */
#define BATCH_NORM_EPILOGUE(epilogue, x, c)                                                      \
  CASE(batch_norm_train_epilogue, epilogue,                                                      \
       "float64[" x "]; float64[" c "]; float64[" c "]; float64[" x "]"),                        \
      CASE(batch_norm_train_epilogue, epilogue, "float64[" x "]; float64[" c "]"),               \
      CASE(batch_norm_infer_epilogue, epilogue,                                                  \
           "float64[" x "]; float64[" c "]; -; float64[" c "]; float64[" c                       \
           "] positive; float64[" x "]"),                                                        \
      CASE(batch_norm_train_epilogue_grad, epilogue,                                             \
           "float64[" x "]; float64[" x "]; float64[" c "]; float64[" c "] positive; float64[" c \
           "]; float64[" c "]"),                                                                 \
      CASE(batch_norm_train_epilogue_grad, epilogue,                                             \
           "float64[" x "]; float64[" x "]; float64[" c "]; float64[" c "] positive", .n_out = 3)

/* With y. */
#define BATCH_NORM_EPILOGUE_OF_Y(epilogue, x, c)                                             \
  CASE(batch_norm_train_epilogue_grad, epilogue,                                             \
       "float64[" x "]; float64[" x "]; float64[" c "]; float64[" c "] positive; float64[" c \
       "]; float64[" c "]; float64[" x "]")

/* A channel vector, a vector per image, one per pixel, a scalar, beside images. */
#define BROADCAST(op, x, n, h, w, c)                                         \
  CASE(op, "", "float64[" x "]; float64[" c "] positive"),                   \
      CASE(op, "", "float64[" c "]; float64[" x "] positive"),               \
      CASE(op, "", "float64[" x "]; float64[" n ",1,1," c "] positive"),     \
      CASE(op, "", "float64[" x "]; float64[" h "," w ",1] positive"),       \
      CASE(op, "", "float64[" x "]; float64[" n "," h "," w ",1] positive"), \
      CASE(op, "", "float64[]; float64[" x "] positive")
#define BROADCASTS(op)                                                                            \
  BROADCAST(op, "2,5,7,24", "2", "5", "7", "24"), BROADCAST(op, "3,4,6,32", "3", "4", "6", "32"), \
      BROADCAST(op, "2,3,3,5", "2", "3", "3", "5"),                                               \
      CASE(op, "", "float64[37,67]; float64[67] positive"),                                       \
      CASE(op, "", "float64[37,67]; float64[37,1] positive")

/* Where polynomials, comparisons and clamps go wrong. */
#define ODD_VALUES                                                                             \
  "= nan inf -inf 0 -0 1e-45 -1e-45 1e-38 -1e-38 3.4e38 -3.4e38 88 88.7 89 -87 -88 -103 -104 " \
  "-110 "                                                                                      \
  "0.5 -0.5 1 -1 1.5 -2.5 20 -20 1e-4 -1e-4 0.3465 -0.3466 0.6931 9 -9 17 -17 1e10 -1e10 6 3"
#define ODD(op) CASE(op, "", "float64[40] " ODD_VALUES)
#define ODD_GRAD(op) CASE(op, "", "float64[40]; float64[40] " ODD_VALUES)

#define REDUCTIONS(op, fill)                                                                      \
  CASE(op, "axes=[0,1,2]", "float64[3,7,9,40]" fill),                                             \
      CASE(op, "axes=[1,2]", "float64[3,7,9,32]" fill),                                           \
      CASE(op, "axes=[1,2], keepdims=true", "float64[2,5,3,17]" fill),                            \
      CASE(op, "axes=[3]", "float64[2,5,3,33]" fill),                                             \
      CASE(op, "axes=[0]", "float64[130,67]" fill), CASE(op, "axes=[1]", "float64[67,130]" fill), \
      CASE(op, "", "float64[9,1111]" fill), CASE(op, "axes=[0]", "float64[3,1,3,16]" fill)

#define ROWS(op, params, fill)                                                    \
  CASE(op, params, "float64[5,1]" fill), CASE(op, params, "float64[67,10]" fill), \
      CASE(op, params, "float64[9,1000]" fill), CASE(op, params, "float64[3,5,7,17]" fill)
#define ROW_GRADS(op, params, fill)                        \
  CASE(op, params, "float64[67,10]; float64[67,10]" fill), \
      CASE(op, params, "float64[9,1000]; float64[9,1000]" fill)

const kernel_case kernel_cases[] = {
    /* convolutions: each number of channels around the blocks, as input and output */
    CONV("padding=same", "2,5,6,1", "3,3,1,8", "2,5,6,8"),
    CONV("padding=same", "2,9,7,3", "3,3,3,16", "2,9,7,16"),
    CONV("padding=same", "1,9,8,8", "3,3,8,8", "1,9,8,8"),
    CONV("padding=same", "2,7,7,16", "3,3,16,16", "2,7,7,16"),
    CONV("padding=same", "3,17,19,16", "3,3,16,32", "3,17,19,32"),
    CONV("padding=same", "1,6,6,15", "3,3,15,17", "1,6,6,17"),
    CONV("padding=same", "2,8,9,24", "3,3,24,40", "2,8,9,40"),
    CONV("padding=same", "2,4,4,64", "3,3,64,64", "2,4,4,64"),
    CONV("padding=same", "1,1,1,32", "3,3,32,32", "1,1,1,32"),
    CONV("padding=valid", "2,10,11,16", "3,3,16,16", "2,8,9,16"),
    CONV("padding=valid", "1,17,19,32", "3,3,32,16", "1,15,17,16"),
    CONV("padding=same", "2,9,10,24", "3,3,24,72", "2,9,10,72"),
    CONV("padding=valid", "2,15,13,33", "3,3,33,17", "2,13,11,17"),
    CONV("padding=same", "4,7,7,33", "3,3,33,18", "4,7,7,18"),
    CASE(conv2d_epilogue, "padding=same, activation=relu, max_value=6",
         "float64[2,9,10,24]; float64[3,3,24,40]; float64[40]"),
    CASE(conv2d_epilogue, "activation=relu", "float64[2,15,13,17]; float64[3,3,17,24]"),
    CONV("padding=same, strides=[2,2]", "2,9,11,16", "3,3,16,32", "2,5,6,32"),
    CONV("padding=same, strides=[2,2]", "1,8,8,3", "7,7,3,16", "1,4,4,16"),
    CONV("padding=same", "2,7,9,16", "1,1,16,24", "2,7,9,24"),
    CONV("padding=same", "2,7,9,64", "1,1,64,16", "2,7,9,16"),
    CONV("padding=same, strides=[2,2]", "2,8,7,32", "1,1,32,64", "2,4,4,64"),
    CONV("padding=valid", "3,1,1,40", "1,1,40,10", "3,1,1,10"),
    CONV("padding=same, dilation=[2,2]", "1,9,9,16", "3,3,16,16", "1,9,9,16"),
    CONV("padding=same", "1,9,9,16", "5,5,16,16", "1,9,9,16"),
    CONV("padding=same", "2,6,7,16", "1,7,16,16", "2,6,7,16"),
    CONV("padding=same", "2,6,7,8", "2,2,8,8", "2,6,7,8"),
    CONV("padding=same, groups=2", "2,6,7,32", "3,3,16,32", "2,6,7,32"),
    CONV("padding=same, groups=4", "1,6,7,16", "3,3,4,32", "1,6,7,32"),
    CONV("padding=same, groups=16", "1,6,7,16", "3,3,1,16", "1,6,7,16"),
    CASE(conv2d_transpose, "padding=same, strides=[2,2]", "float64[2,5,6,16]; float64[3,3,16,16]"),
    CASE(conv2d_transpose, "strides=[2,2]", "float64[2,5,6,24]; float64[2,2,8,24]"),
    CASE(conv2d_transpose, "padding=same", "float64[1,5,6,17]; float64[4,4,3,17]"),
    DEPTHWISE("padding=same", "2,9,8,16", "3,3,16,1", "2,9,8,16"),
    DEPTHWISE("padding=same", "2,9,8,24", "3,3,24,1", "2,9,8,24"),
    DEPTHWISE("padding=same", "1,17,19,32", "3,3,32,1", "1,17,19,32"),
    DEPTHWISE("padding=same", "2,9,8,40", "5,5,40,1", "2,9,8,40"),
    DEPTHWISE("padding=same, strides=[2,2]", "2,9,8,32", "3,3,32,1", "2,5,4,32"),
    DEPTHWISE("padding=same, strides=[2,2]", "1,12,11,17", "5,5,17,1", "1,6,6,17"),
    DEPTHWISE("padding=valid", "1,9,9,16", "7,7,16,1", "1,3,3,16"),
    DEPTHWISE("padding=same, dilation=[2,2]", "1,9,9,16", "3,3,16,1", "1,9,9,16"),
    DEPTHWISE("padding=same", "1,6,6,8", "3,3,8,2", "1,6,6,16"),
    DENSE("1", "1", "1"),
    DENSE("1", "64", "10"),
    DENSE("32", "64", "10"),
    DENSE("7", "15", "17"),
    DENSE("33", "40", "24"),
    DENSE("128", "100", "64"),
    DENSE("3", "257", "8"),
    DENSE("5", "257", "256"),
    DENSE("17", "300", "220"),
    EPILOGUE(matmul_epilogue, "", "9,40", "40,33", "33"),
    EPILOGUE(matmul_epilogue, "", "6,257", "257,256", "256"),
    EPILOGUE(conv2d_epilogue, ", padding=same", "2,7,9,16", "3,3,16,24", "24"),
    EPILOGUE(conv2d_epilogue, ", padding=same, strides=[2,2]", "2,8,9,3", "3,3,3,32", "32"),
    EPILOGUE(conv2d_epilogue, "", "2,7,9,40", "1,1,40,17", "17"),
    EPILOGUE(depthwise_conv2d_epilogue, ", padding=same", "2,7,9,24", "3,3,24,1", "24"),
    EPILOGUE(depthwise_conv2d_epilogue, ", padding=same, strides=[2,2]", "1,9,9,32", "5,5,32,1",
             "32"),
    CASE(matmul, "", "float64[5,17,24]; float64[5,24,33]"),
    CASE(matmul, "transpose_b=true", "float64[2,3,9,16]; float64[2,3,40,16]"),
    CASE(matmul, "transpose_a=true", "float64[3,40,8]; float64[3,40,15]"),
    POOLS("pool_size=[2,2], strides=[2,2]", "2,8,10,16", "2,4,5,16"),
    POOLS("pool_size=[2,2], strides=[2,2]", "2,9,7,24", "2,4,3,24"),
    POOLS("pool_size=[3,3], strides=[2,2], "
          "padding=same",
          "3,17,19,32", "3,9,10,32"),
    POOLS("pool_size=[3,3]"
          ", "
          "strides=[1,1], "
          "padding=same",
          "1,7,5,17", "1,7,5,17"),
    POOLS("pool_size=[3,2], "
          "strides=[2,3]",
          "2,9,8,3", "2,4,3,3"),
    POOLS("pool_size=["
          "7,7], "
          "strides=[7,"
          "7]",
          "2,7,7,40", "2,1,1,40"),
    CASE(max_pool2d, "padding=same",
         "float64[1,2,3,1] = -inf "
         "-inf 1 -inf -inf nan",
         .n_out = 1),
    CASE(max_pool2d, "",
         "float64[1,2,2,2] = 3 "
         "1 3 2 3 2 1 nan"),
    RESIZE("interpolation="
           "bilinear",
           "height=14, "
           "width=10",
           "2,7,5,24", "2,14,10,24"),
    RESIZE("interpolation=bilinear", "height=5, width=17", "1,9,8,16", "1,5,17,16"),
    RESIZE("interpolation=nearest", "height=10, width=14", "2,5,7,24", "2,10,14,24"),
    RESIZE("interpolati"
           "on=nearest",
           "height=7, "
           "width=3",
           "1,5,9,17", "1,7,3,17"),
    BATCH_NORM("2,5,7,16", "16"),
    BATCH_NORM("4,17,19,"
               "24",
               "24"),
    BATCH_NORM("3,9,9,40", "40"),
    BATCH_NORM("2,3,3,3", "3"),
    BATCH_NORM("37,67", "67"),
    BATCH_NORM("8,"
               "16"
               ",1"
               "6,"
               "6"
               "4",
               "6"
               "4"),
    BATCH_NORM("2,1,1,17", "17"),
    BATCH_NORM("2,30,30,1", "1"),
    BATCH_NORM("3,37,41,20", "20"),
    BATCH_NORM_EPILOGUE("activation=relu", "2,5,7,16", "16"),
    BATCH_NORM_EPILOGUE("activation=relu max_value=0.75", "3,9,9,40", "40"),
    BATCH_NORM_EPILOGUE("activation=swish", "3,7,9,24", "24"),
    BATCH_NORM_EPILOGUE("activation=swish", "37,67", "67"),
    BATCH_NORM_EPILOGUE("", "3,37,41,20", "20"),
    BATCH_NORM_EPILOGUE_OF_Y("activation=relu", "3,37,41,20", "20"),
    BATCH_NORM_EPILOGUE_OF_Y("activation=relu max_value=0.75", "37,67", "67"),
    BATCH_NORM_EPILOGUE_OF_Y("", "2,5,7,16", "16"),
    BATCH_NORM_EPILOGUE("activation=relu", "3,5,7,24", "24"),
    BATCH_NORM_EPILOGUE("activation=relu", "2,9,11,32", "32"),
    BATCH_NORM_EPILOGUE("activation=swish", "3,5,7,24", "24"),
    BATCH_NORM_EPILOGUE("activation=swish", "2,9,11,32", "32"),
    BATCH_NORM_EPILOGUE("activation=linear", "2,5,7,17", "17"),
    BATCH_NORM_EPILOGUE("activation=relu, max_value=0.75", "2,5,7,16", "16"),
    CASE(concat, "axis=3", "float64[2,5,7,16]; float64[2,5,7,32]; float64[2,5,7,16]"),
    CASE(concat, "axis=3", "float64[2,5,7,24]; float64[2,5,7,8]; float64[2,5,7,17]"),
    CASE(concat, "axis=1", "float64[2,3,7,24]; float64[2,5,7,24]"),
    CASE(concat, "axis=0", "float64[1,3,7,40]; float64[3,3,7,40]; float64[2,3,7,40]"),
    CASE(concat, "axis=1", "float64[37,67]; float64[37,1]; float64[37,130]"),
    CASE(slice, "begin=[0,0,0,16], size=[-1,-1,-1,16]", "float64[2,5,7,64]"),
    CASE(slice, "begin=[0,0,0,8], size=[-1,-1,-1,24]", "float64[2,5,7,40]"),
    CASE(slice, "begin=[0,0,0,3], size=[-1,-1,-1,20]", "float64[2,5,7,40]"),
    CASE(slice, "begin=[0,1,2,0], size=[-1,3,4,-1]", "float64[2,5,7,24]"),
    CASE(slice, "begin=[1,0,0,0], size=[1,-1,-1,-1]", "float64[3,5,7,24]"),
    CASE(slice, "begin=[0,1,0,0], size=[-1,-1,-1,-1], strides=[1,2,3,1]", "float64[2,8,9,32]"),
    CASE(slice, "begin=[3,5], size=[30,60]", "float64[37,67]"),
    CASE(pad, "before=[0,1,2,0], after=[0,3,1,0]", "float64[2,5,7,24]"),
    CASE(pad, "before=[0,1,1,0], after=[0,1,1,0]", "float64[2,5,7,32]"),
    CASE(pad, "before=[0,1,1,0], after=[0,1,1,0], value=-inf", "float64[2,5,7,17]"),
    CASE(pad, "before=[0,0,0,8], after=[0,0,0,8]", "float64[2,5,7,24]"),
    CASE(pad, "before=[1,0], after=[2,3], between=[1,2]", "float64[17,33]"),
    CASE(permute, "axes=[0,3,1,2]", "float64[3,7,9,24]"),
    CASE(permute, "axes=[1,0]", "float64[130,67]"),
    CASE(permute, "axes=[2,1,0]", "float64[17,33,5]"),
    CASE(repeat, "axis=1, repeats=2", "float64[2,5,7,24]"),
    CASE(repeat, "axis=2, repeats=3", "float64[2,5,7,32]"),
    CASE(repeat, "axis=3, repeats=2", "float64[2,3,5,16]"),
    CASE(broadcast_to, "shape=[2,5,7,24]", "float64[24]"),
    CASE(broadcast_to, "shape=[2,5,7,32]", "float64[2,1,1,32]"),
    CASE(broadcast_to, "shape=[2,5,7,32], scale=0.125", "float64[2,1,1,32]"),
    CASE(broadcast_to, "shape=[67,130]", "float64[67,1]"),
    BROADCASTS(add),
    BROADCASTS(subtract),
    BROADCASTS(multiply),
    BROADCASTS(divide),
    BROADCASTS(maximum),
    BROADCASTS(minimum),
    CASE(product_sum, "shape=[24]", "float64[3,5,7,24]; float64[3,5,7,24]"),
    CASE(product_sum, "shape=[32]", "float64[3,5,7,32]; float64[3,5,7,32]"),
    CASE(product_sum, "shape=[2,1,1,40]", "float64[2,5,7,40]; float64[2,5,7,40]"),
    CASE(product_sum, "shape=[]", "float64[67,130]; float64[67,130]"),
    CASE(prelu, "", "float64[2,5,7,24] away; float64[1,1,24]"),
    CASE(prelu, "", "float64[2,5,7,32] away; float64[5,7,32]"),
    CASE(prelu_grad, "", "float64[2,5,7,32]; float64[2,5,7,32] away; float64[1,1,32]"),
    CASE(prelu_grad_alpha, "shape=[1,1,32]", "float64[2,5,7,32]; float64[2,5,7,32] away"),
    REDUCTIONS(sum, ""),
    REDUCTIONS(mean, ""),
    REDUCTIONS(max, " distinct"),
    REDUCTIONS(min, " distinct"),
    CASE(sum_squares, "", "float64[3,5,7,24]"),
    CASE(sum_abs, "", "float64[3,5,7,24]"),
    ROWS(softmax, "", ""),
    ROWS(log_softmax, "", ""),
    ROW_GRADS(softmax_grad, "", " unit"),
    ROW_GRADS(log_softmax_grad, "", ""),
    ROWS(softmax, "axis=0", ""),
    CASE(softmax, "", "float64[3,4] = inf 0 1 2 -inf 0 1 2 nan 0 1 2"),
    CASE(softmax, "", "float64[2,4] = -1000 0 1000 500 -1e38 3e38 0 1"),
    CASE(categorical_crossentropy, "from_logits=true", "float64[67,10] onehot; float64[67,10]"),
    CASE(categorical_crossentropy, "", "float64[67,10] onehot; float64[67,10] unit"),
    CASE(categorical_crossentropy_grad, "from_logits=true",
         "float64[67]; float64[67,10] onehot; float64[67,10]"),
    CASE(categorical_crossentropy_grad, "",
         "float64[67]; float64[67,10] onehot; float64[67,10] unit"),
    CASE(sparse_categorical_crossentropy, "from_logits=true",
         "int32[67] labels:10; float64[67,10]"),
    CASE(sparse_categorical_crossentropy, "", "int32[9] labels:1000; float64[9,1000] unit"),
    CASE(sparse_categorical_crossentropy_grad, "from_logits=true",
         "float64[67]; int32[67] labels:10; float64[67,10]"),
    CASE(
        sparse_categorical_crossentropy, "from_logits=true",
        "int32[40] = 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 8 0 9 2 3 4 5 6 "
        "7; float64[40,8]",
        .faults = "label"),
    CASE(cast, "dtype=float32", "double[3,5,7,24]"),
    CASE(cast, "dtype=float32", "double[1001]"),
    CASE(cast, "dtype=float32", "double[6] = nan inf -inf 1e39 -1e-50 0.1"),
    CASE(cast, "dtype=float32", "int32[1001] labels:99999999"),
    CASE(cast, "dtype=float32", "int64[1001] labels:9999999999999"),
    CASE(cast, "dtype=float32", "uint8[3,28,28,1] labels:256"),
    CASE(cast, "dtype=float64", "float64[1001]"),
    CASE(embedding, "", "float64[50,33]; int32[67] labels:50"),
    CASE(embedding_grad, "rows=50", "int32[67] labels:50; float64[67,33]"),
    CASE(layer_norm, "", "float64[37,67]; float64[67]; float64[67]"),
    CASE(layer_norm, "", "float64[2,5,7,24]; float64[24]; float64[24]"),
    CASE(layer_norm_grad, "",
         "float64[37,67]; float64[37,67]; float64[67]; float64[37]; float64[37] positive"),
    ODD(relu),
    ODD(sigmoid),
    ODD(tanh),
    ODD(exp),
    ODD(log),
    ODD(softplus),
    ODD(silu),
    ODD(gelu),
    ODD(elu),
    ODD(selu),
    ODD(hard_sigmoid),
    ODD(hard_silu),
    ODD(sqrt),
    ODD(rsqrt),
    ODD(reciprocal),
    ODD(square),
    ODD(abs),
    ODD(sign),
    ODD(negative),
    ODD(softsign),
    ODD(log_sigmoid),
    ODD(mish),
    ODD_GRAD(relu_grad),
    ODD_GRAD(silu_grad),
    ODD_GRAD(gelu_grad),
    ODD_GRAD(sigmoid_grad),
    ODD_GRAD(tanh_grad),
    ODD_GRAD(abs_grad),
    ODD_GRAD(hard_silu_grad),
    CASE(relu, "max_value=6", "float64[40] " ODD_VALUES),
    CASE(relu, "negative_slope=0.1", "float64[2,5,7,24]"),
    CASE(relu, "max_value=6", "float64[2,5,7,24]"),
    CASE(clip, "min=-1, max=1", "float64[40] " ODD_VALUES),
    CASE(maximum, "", "float64[40] " ODD_VALUES "; float64[40]"),
    CASE(minimum, "", "float64[40]; float64[40] " ODD_VALUES)};

const size_t kernel_cases_count = SNUG_COUNT(kernel_cases);
