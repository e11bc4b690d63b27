/* Metrics.  Expected values come from Keras 3.15 on TensorFlow. */
#include "ops/cases.h"

OP_CASES(binary_accuracy, {"", "float64[3,1] onehot; float64[3,1] unit"},
         {"threshold=0.25", "int32[3,4] onehot; float64[3,4] unit"},
         {"", "float64[1,4] = 1 1 0 0; float64[1,4] = 0.98 1 0 0.6", .expect = "0.75"},
         {"", "float64[1,1] = 1; float64[1,1] = 0.5", .expect = "0"},
         {"", "float64[0,4]; float64[0,4]"},
         {"", "float64[3]; float64[3,1]", .fails = "the shapes differ"})

OP_CASES(categorical_accuracy, {"", "float64[3,4] onehot; float64[3,4]"},
         {"", "float64[2,3] = 0 0 1 0 1 0; float64[2,3] = 0.1 0.9 0.8 0.05 0.95 0",
          .expect = "0 1"},
         {"top_k=2", "float64[2,3] = 0 0 1 0 1 0; float64[2,3] = 0.1 0.9 0.8 0.05 0.95 0",
          .expect = "1 1"},
         {"", "int32[0,4]; float64[0,4]"},
         {"top_k=-1", "float64[2,3]; float64[2,3]", .fails = "top_k"},
         {"", "float64[2,0]; float64[2,0]", .fails = "there must be a class"})

OP_CASES(sparse_categorical_accuracy, {"", "int32[3] labels:4; float64[3,4]"},
         {"", "int32[3] = 0 1 5; float64[3,3] = 2 2 1 2 2 1 0 0 0", .expect = "1 0 0"},
         {"top_k=1", "int32[3] = 0 1 5; float64[3,3] = 2 2 1 2 2 1 0 0 0", .expect = "1 1 0"},
         {"top_k=2", "int64[2,2] = 0 1 2 0; float64[2,2,3] = 1 2 3 1 2 3 1 2 3 3 2 2",
          .expect = "0 1 1 1"},
         {"", "int32[0]; float64[0,4]"},
         {"", "int32[3,4]; float64[3,4]", .fails = "without its last axis"})

OP_CASES(mean_update, {"", "float64[]; float64[]; float64[5]"},
         {"", "float64[] = 1; float64[] = 2; float64[2,2] = 1 2 3 4; float64[2] = 1 3",
          .expect = "13"},
         {"", "float64[] = 0; float64[] = 0; float64[2,2] = 1 2 3 4; float64[2,2] = 1 0 0 1",
          .expect = "2.5"},
         {"weight=32", "float64[] = 1; float64[] = 0; float64[] = 0.5", .expect = "17"},
         {"", "float32[]; float32[]; float64[2,3]; float64[2,1]"},
         {"", "float64[]; float64[]; float64[0]"},
         {"", "float64[]; float64[]; float64[2,3]; float64[3]", .fails = "first axes"},
         {"", "float64[1]; float64[]; float64[2]", .fails = "0 axes"})

#define COUNTS(n) \
  "float32[" #n "] zero; float32[" #n "] zero; float32[" #n "] zero; float32[" #n "] zero"

OP_CASES(
    confusion_update,
    {"thresholds=[0.5]", COUNTS(1) "; float64[4] = 0 1 1 1; float64[4] = 1 0 1 1", .expect = "2"},
    {"thresholds=[0.2,0.5]", COUNTS(2) "; int32[2,2] onehot; float64[2,2] unit; float64[2,1] unit"},
    {"num_thresholds=3", COUNTS(3) "; float64[4] = 0 0 1 1; float64[4] = 0 0.5 0.3 0.9",
     .expect = "2 1 0"},
    {"num_thresholds=200", COUNTS(200) "; float64[0]; float64[0]"},
    {"num_thresholds=3", COUNTS(2) "; float64[4]; float64[4]", .fails = "float32[3]"},
    {"", COUNTS(1) "; float64[4]; float64[4]", .fails = "give thresholds"},
    {"thresholds=[0.5]", COUNTS(1) "; float64[3]; float64[4]", .fails = "shapes differ"},
    {"thresholds=[0.5]", COUNTS(1) "; float64[4]; float64[4]; float64[2,4]", .fails = "do not fit"})

OP_CASES(iou_update,
         {"", "int64[2,2] zero; int32[4] = 0 0 1 1; int32[4] = 0 1 0 1", .expect = "1 1 1 1"},
         {"ignore_class=0",
          "int64[2,2] zero; int32[4] = 0 0 1 1; int64[4] = 0 1 0 1; int32[4] = 1 1 2 3",
          .expect = "0 0 2 3"},
         {"", "int64[2,2] zero; int32[2] = 2 -1; float64[2] = 0 0", .expect = "0 0 0 0"},
         {"", "int64[2,3] zero; int32[2]; int32[2]", .fails = "a square of int64"})

/* From Keras's own example. */
#define ROWS "float64[3,3] = 1 1 1 1 0 0 1 1 0; float64[3,3] = 0.2 0.6 0.7 0.2 0.6 0.6 0.6 0.8 0"

OP_CASES(f_score_update,
         {"threshold=0.5", "double[3,3] zero; " ROWS, .expect = "1 2 1 0 1 1 2 0 0"},
         {"", "double[3,3] zero; " ROWS, .expect = "0 1 1 0 1 1 3 1 0"},
         {"", "double[3,3] zero; " ROWS "; float64[3,1] = 1 2 0.5",
          .expect = "0 0.5 1 0 2 2 3.5 1 0"},
         {"", "double[3,2] zero; int32[2,2] onehot; float64[2,2] zero", .expect = "0 0 0 0 1 1"},
         {"", "double[3,4] zero; float64[0,4]; float64[0,4]", .expect = "0 0 0 0 0 0 0 0 0 0 0 0"},
         {"", "double[3,2]; " ROWS, .fails = "float64[3,3]"},
         {"", "float32[3,3]; " ROWS, .fails = "float64[3,3]"},
         {"", "double[3,3]; float64[3]; float64[3,3]", .fails = "[samples, classes]"},
         {"", "double[3,3]; " ROWS "; float64[2]", .fails = "float64[2]"})

OP_CASES(r2_update,
         {"", "double[4,1] zero; double[] zero; float64[3,1] = 1 4 3; float64[3,1] = 2 4 4",
          .expect = "8 26 2 3"},
         {"", "double[4,2]; double[]; int32[2,2] = 1 2 3 4; float64[2,2]; float64[2,1] = 1 0.5"},
         {"", "double[4,2] zero; double[] zero; float64[0,2]; float64[0,2]"},
         {"", "double[4,1]; float32[]; float64[3,1]; float64[3,1]", .fails = "float32"},
         {"", "double[3,1]; double[]; float64[3,1]; float64[3,1]", .fails = "float64[4,1]"})
