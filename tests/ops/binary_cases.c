/* Ops of two values with broadcasting and the gradients that belong to them. */
#include "ops/cases.h"

/* Every way the loops step: alike, rows, columns, both sides, scalars, runs in the middle. */
#define SHAPES(fill_a, fill_b)                                                  \
  {"", "float64[2,3]" fill_a "; float64[2,3]" fill_b},                          \
      {"", "float64[2,3,2,4]" fill_a "; float64[4]" fill_b},                    \
      {"", "float64[4]" fill_a "; float64[2,3,4]" fill_b},                      \
      {"", "float64[2,2,3,4]" fill_a "; float64[2,1,1,4]" fill_b},              \
      {"", "float64[2,3,1]" fill_a "; float64[2,3,4]" fill_b},                  \
      {"", "float64[1,3]" fill_a "; float64[2,1]" fill_b},                      \
      {"", "float64[2,1,4,1]" fill_a "; float64[3,1,2]" fill_b},                \
      {"", "float64[]" fill_a "; float64[2,2]" fill_b},                         \
      {"", "float64[2,2]" fill_a "; float64[1]" fill_b},                        \
      {"", "float64[]" fill_a "; float64[]" fill_b},                            \
      {"", "float64[0,3]" fill_a "; float64[3]" fill_b},                        \
      {"", "float64[2,3]" fill_a "; float64[2]" fill_b, .fails = "do not fit"}, \
      {"", "float64[2]" fill_a "; float32[2]" fill_b, .fails = "dtypes"}, {     \
    "", "int32[2]; int32[2]", .fails = "must be float"                          \
  }

OP_CASES(subtract, SHAPES("", ""),
         {"", "float64[2,2] = 1 2 3 4; float64[2] = 5 7", .expect = "-4 -5 -2 -3"})
OP_CASES(multiply, SHAPES("", ""),
         {"", "float64[2,2] = 1 2 3 4; float64[2,1] = 5 7", .expect = "5 10 21 28"})
OP_CASES(divide, SHAPES("", " positive"),
         {"", "float64[2,2] = 1 2 3 4; float64[2] = 2 4", .expect = "0.5 0.5 1.5 1"})
OP_CASES(maximum, SHAPES("", ""),
         {"", "float64[4] = 1 2 -3 4; float64[1] = 2", .no_gradient = true, .expect = "2 2 2 4"})
OP_CASES(minimum, SHAPES("", ""),
         {"", "float64[4] = 1 2 -3 4; float64[1] = 2", .no_gradient = true, .expect = "1 2 -3 2"})
OP_CASES(power, SHAPES(" positive", ""),
         {"", "float64[3] = 2 3 9; float64[3] = 3 -1 0.5", .expect = "8 0.33333333 3"})

OP_CASES(
    gate, {"when=ge", "float64[3] = 1 2 3; float64[3] = 1 2 3; float64[1] = 2", .expect = "0 2 3"},
    {"when=not_ge", "float64[3] = 1 2 3; float64[3] = 1 2 3; float64[1] = 2", .expect = "1 0 0"},
    {"when=le", "float64[3] = 1 2 3; float64[1] = 2; float64[3] = 1 2 3", .expect = "0 2 3"},
    {"when=not_le", "float64[3] = 1 2 3; float64[1] = 2; float64[3] = 1 2 3", .expect = "1 0 0"},
    {"when=ge", "float64[0,3]; float64[0,3]; float64[3]"},
    {"when=ge", "float64[3]; float64[2,3]; float64[3]", .fails = "the values make float64[2,3]"},
    {"", "float64[3]; float64[3]; float64[3]", .fails = "when"})
OP_CASES(power_grad_base,
         {"", "float64[3] one; float64[3] = 2 3 0; float64[3] = 3 -1 0",
          .expect = "12 -0.11111111 0"},
         {"", "float64[0]; float64[0]; float64[1]"})
OP_CASES(power_grad_exponent,
         {"", "float64[3] one; float64[3] = 2 1 -1; float64[1] = 2", .expect = "2.7725887 0 0"},
         {"", "float64[0]; float64[0]; float64[1]"})

OP_CASES(prelu, {"", "float64[2,3,4] away; float64[3,4]"},
         {"", "float64[2,2,3,4] away; float64[1,1,4]"}, {"", "float64[2,3,4] away; float64[3,1]"},
         {"", "float64[2,3,4] away; float64[1,1]"}, {"", "float64[0,3] away; float64[3]"},
         {"", "float64[2,3] = -2 0 3 4 -5 6; float64[3] = 0.5 0.25 2", .no_gradient = true,
          .expect = "-1 0 3 4 -1.25 6"},
         {"", "float64[3]; float64[2,3]", .fails = "cannot be broadcast to the input"})
OP_CASES(prelu_grad,
         {"", "float64[3] one; float64[3] = -2 0 3; float64[1] = 0.25", .expect = "0.25 0 1"},
         {"", "float64[0,2]; float64[0,2]; float64[2]"})
OP_CASES(prelu_grad_alpha,
         {"shape=[3]", "float64[2,3] = 1 2 3 4 5 6; float64[2,3] = -2 0 3 -4 -5 6",
          .expect = "-18 -25 0"},
         {"shape=[1]", "float64[2,3] = 1 2 3 4 5 6; float64[2,3] = -2 0 3 -4 -5 6",
          .expect = "-43"},
         {"shape=[3]", "float64[0,3]; float64[0,3]", .expect = "0 0 0"})

OP_CASES(product_sum, {"shape=[]", "float64[2,3]; float64[2,3]"},
         {"shape=[3]", "float64[2,2] = 1 2 3 4; float64[2,2] = 5 6 7 8",
          .fails = "cannot be summed"},
         {"shape=[2]", "float64[2,2] = 1 2 3 4; float64[2,2] = 5 6 7 8", .expect = "26 44"},
         {"shape=[2,1]", "float64[2,2] = 1 2 3 4; float64[2,2] = 5 6 7 8", .expect = "17 53"},
         {"shape=[2,2]", "float64[2,2] = 1 2 3 4; float64[2,2] = 5 6 7 8", .expect = "5 12 21 32"},
         {"shape=[1,2]", "float64[2,2] = 1 2 3 4; float64[2,2] = 5 6 7 8", .expect = "26 44"},
         {"shape=[2,1,1,4]", "float64[2,3,2,4]; float64[2,3,2,4]"},
         {"shape=[1,3,1,4]", "float64[2,3,2,4]; float64[2,3,2,4]"},
         {"shape=[3,1,1]", "float64[2,3,2,4]; float64[2,3,2,4]"},
         {"shape=[70]", "float64[3,70]; float64[3,70]"},
         {"shape=[3]", "float64[0,3]; float64[0,3]", .expect = "0 0 0"},
         {"shape=[0,1]", "float64[0,3]; float64[0,3]"})
