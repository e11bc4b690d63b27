/* Updates.  Expected values of several steps are in tests/model/optimizer_test.c. */
#include "ops/cases.h"

#define RATE "; float32[] = 0.1; int64[] = 2"
#define OFF "; -; float32[] = 0"
#define ON "; float32[] = 0.5; float32[] = 1"
#define X "float64[2,3]"
#define P "float64[2,3] positive"

OP_CASES(sgd, {"", X "; " X RATE}, {"weight_decay=0.1, clipvalue=0.2", X "; " X RATE ON},
         {"", "float64[2] = 1 2; float64[2] = 1 -1" RATE, .expect = "0.9 2.1"},
         {"gradient_factor=0.5", "float64[2] = 1 2; float64[2] = 1 -1" RATE ON,
          .expect = "0.975 2.025"},
         {"", "float64[2] = 1 2; float64[2] = 1 -1" RATE OFF, .expect = "1 2"},
         {"", "float64[0]; float64[0]" RATE}, {"", X "; float64[3,2]" RATE, .fails = "the shapes"},
         {"accumulation_steps=0", X "; " X RATE, .fails = "accumulation_steps"},
         {"", X "; " X "; float32[]; int32[]", .fails = "int64 scalar"},
         {"", X "; " X "; float32[1]; int64[]", .fails = "0 axes"})

OP_CASES(sgd_momentum, {"", X "; " X "; " X RATE},
         {"momentum=0.5, nesterov=true", X "; " X "; " X RATE ON}, {"", X "; " X "; " X RATE OFF},
         {"", X "; " X "; float64[3]" RATE, .fails = "the shapes"})

OP_CASES(adam, {"", X "; " X "; " X "; " P "; -" RATE, .n_out = 3},
         {"weight_decay=0.01, accumulation_steps=2", X "; " X "; " X "; " P "; " P RATE ON},
         {"", X "; " X "; " X "; " P "; -" RATE OFF, .n_out = 3},
         {"", "float64[0]; float64[0]; float64[0]; float64[0]; -" RATE, .n_out = 3},
         {"", X "; " X "; " X "; float64[3]; -" RATE, .n_out = 3, .fails = "the shapes"})

OP_CASES(rmsprop, {"", X "; " X "; " P "; -" RATE, .n_out = 2},
         {"momentum=0.9", X "; " X "; " P "; " X RATE})
OP_CASES(rmsprop_centered,
         {"", X "; " X "; float64[2,3] = 2 2 2 2 2 2; float64[2,3] zero; -" RATE ON, .n_out = 3},
         {"momentum=0.9", X "; " X "; float64[2,3] = 2 2 2 2 2 2; float64[2,3] zero; " X RATE})

OP_CASES(adagrad, {"", X "; " X "; " P RATE}, {"", X "; " X "; " P RATE OFF})
OP_CASES(adadelta, {"", X "; " X "; " P "; " P RATE}, {"", X "; " X "; " P "; " P RATE OFF})
OP_CASES(adamax, {"", X "; " X "; " X "; " P RATE}, {"", X "; " X "; " X "; " P RATE OFF})
OP_CASES(nadam, {"", X "; " X "; " X "; " P "; float32[] = 0.3" RATE},
         {"", X "; " X "; " X "; " P "; float32[] = 0.3" RATE OFF})
OP_CASES(lion, {"", X "; " X "; " X RATE}, {"", X "; " X "; " X RATE OFF})
OP_CASES(ftrl, {"", X "; " X "; " P "; " X RATE, .dtype_factor = 4},
         {"l1=0.1, l2=0.2, l2_shrinkage=0.3, beta=0.4, learning_rate_power=-0.7",
          X "; " X "; " P "; " X RATE, .dtype_factor = 4},
         {"", X "; " X "; " P "; " X RATE OFF})

/* |w| = 5; both moments start at 0, so the direction is the sign of g: of size sqrt(2). */
OP_CASES(lamb, {"", X "; " X "; " X "; " P RATE},
         {"weight_decay=0.1, clipvalue=0.2, accumulation_steps=2", X "; " X "; " X "; " P RATE ON},
         {"", X "; " X "; " X "; " P RATE OFF},
         {"epsilon=0",
          "float64[2] = 3 4; float64[2] = 1 -2; float64[2] zero; float64[2] zero; "
          "float32[] = 0.1; int64[] = 0",
          .expect = "2.6464466 4.3535534"},
         {"epsilon=0",
          "float64[2] zero; float64[2] = 1 -2; float64[2] zero; float64[2] zero; "
          "float32[] = 0.1; int64[] = 0",
          .expect = "-0.1 0.1"},
         {"",
          "float64[100,170] one; float64[100,170]; float64[100,170]; float64[100,170] positive; "
          "float32[] = 0.001; int64[] = 2"},
         {"", "float64[0]; float64[0]; float64[0]; float64[0]" RATE},
         {"", X "; " X "; " X "; float64[3]" RATE, .fails = "the shapes"})

OP_CASES(muon_momentum, {"", X "; " X},
         {"momentum=0.5, clipvalue=0.2", X "; " X "; float32[] = 0.5"},
         {"nesterov=false, gradient_factor=0.5", X "; " X "; -; float32[] = 1"},
         {"momentum=0.5", "float64[2] = 1 2; float64[2] = 4 -4", .expect = "4.5 -3"},
         {"momentum=0.5", "float64[2] = 1 2; float64[2] = 4 -4; -; float32[] = 0", .expect = "1 2"},
         {"", "float64[0]; float64[0]"}, {"", X "; float64[3]", .fails = "the shapes"})
