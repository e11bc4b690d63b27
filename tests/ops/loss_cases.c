/* Losses.  Expected values come from Keras 3.15 on TensorFlow. */
#include "ops/cases.h"

#define DENSE(kind, t, y) \
  { "kind=" kind, "float64[3,4] " t "; float64[3,4] " y }

OP_CASES(pointwise_loss, DENSE("mean_squared_error", "normal", "normal"),
         DENSE("mean_absolute_error", "normal", "normal"),
         {"kind=mean_absolute_percentage_error", "float64[3,4] away; float64[3,4]",
          .tolerance = 1e-5},
         DENSE("mean_squared_logarithmic_error", "positive", "positive"),
         DENSE("huber", "normal", "normal"),
         {"kind=huber, delta=0.3", "float64[3,4]; float64[3,4]"},
         DENSE("log_cosh", "normal", "normal"), DENSE("kl_divergence", "unit", "unit"),
         DENSE("poisson", "positive", "positive"), DENSE("hinge", "away", "normal"),
         DENSE("hinge", "onehot", "normal"), DENSE("squared_hinge", "onehot", "normal"),
         DENSE("binary_crossentropy", "unit", "unit"),
         {"kind=binary_crossentropy, from_logits=true, label_smoothing=0.1",
          "int32[2,3,4] onehot; float64[2,3,4]"},
         {"kind=binary_focal_crossentropy", "uint8[3,4] onehot; float64[3,4] unit"},
         {"kind=binary_focal_crossentropy, from_logits=true, class_balancing=true, gamma=1.5, "
          "label_smoothing=0.1",
          "int32[3,4] onehot; float64[3,4]"},
         {"kind=mean_squared_error", "float64[0,4]; float64[0,4]"},
         {"kind=mean_squared_error", "float64[4]; float64[4]"},
         {"kind=mean_squared_error", "float64[2,2] = 1 2 3 4; float64[2,2] = 2 4 3 2",
          .expect = "2.5 2"},
         {"kind=binary_crossentropy", "float64[1,2] = 1 0; float64[1,2] = 0.8 0.4",
          .expect = "0.36698458"},
         {"kind=log_cosh", "float64[1,1] = 0; float64[1,1] = -40", .expect = "39.306853"},
         {"kind=mean_squared_error", "float64[2,3]; float64[2,4]", .fails = "the shapes differ"},
         {"kind=mean_squared_error", "float64[]; float64[]", .fails = "1 axes or more"},
         {"kind=huber, delta=0", "float64[2]; float64[2]", .fails = "delta"},
         {"kind=binary_crossentropy, label_smoothing=2", "float64[2]; float64[2]",
          .fails = "label_smoothing"})

OP_CASES(pointwise_loss_grad, {"kind=mean_squared_error", "float64[3]; float64[3,4]; float64[3,4]"},
         {"kind=hinge", "float64[3]; float64[3,4] onehot; float64[3,4]"},
         {"kind=binary_crossentropy, from_logits=true",
          "float64[3]; float64[3,4] onehot; float64[3,4]"},
         {"kind=poisson", "float64[0]; float64[0,4]; float64[0,4]"},
         {"kind=mean_squared_error", "float64[4]; float64[3,4]; float64[3,4]",
          .fails = "gradient of the values"})

OP_CASES(categorical_crossentropy, {"", "float64[3,4] onehot; float64[3,4] unit"},
         {"label_smoothing=0.2", "int32[2,3,4] onehot; float64[2,3,4] unit"},
         {"from_logits=true", "float64[3,4] unit; float64[3,4]"},
         {"from_logits=true, label_smoothing=0.1", "uint8[3,4] onehot; float64[3,4]"},
         {"from_logits=true", "float64[0,4]; float64[0,4]"},
         {"from_logits=true", "float64[1,3] = 0 0 1; float64[1,3] = 30 0 -30", .expect = "60"},
         {"", "float64[2,3] = 0 1 0 0 0 1; float64[2,3] = 0.05 0.95 0 0.1 0.8 0.1",
          .expect = "0.05129329 2.30258509", .no_gradient = true},
         {"", "float64[3,5]; float64[3,4]", .fails = "the shapes differ"},
         {"label_smoothing=-1", "float64[3,4]; float64[3,4]", .fails = "label_smoothing"})

OP_CASES(categorical_crossentropy_grad,
         {"", "float64[3]; float64[3,4] onehot; float64[3,4] unit", .dtype_factor = 4},
         {"from_logits=true", "float64[3]; float64[3,4] onehot; float64[3,4]", .dtype_factor = 4},
         {"from_logits=true", "float64[2,3]; int32[2,3,4] onehot; float64[2,3,4]"},
         {"", "float64[3]; float64[3,5]; float64[3,4]", .fails = "the shapes differ"})

OP_CASES(sparse_categorical_crossentropy, {"", "int32[3] labels:4; float64[3,4] unit"},
         {"from_logits=true", "int64[2,3] labels:4; float64[2,3,4]"},
         {"from_logits=true", "float32[5] labels:4; float64[5,4]", .n_out = 1},
         {"from_logits=true, ignore_class=255", "int32[4] = 0 255 2 255; float64[4,3]"},
         {"ignore_class=-1", "int32[3] = 0 -1 2; float64[3,3] unit"},
         {"from_logits=true", "int32[0]; float64[0,4]"},
         {"", "int32[2] = 1 2; float64[2,3] = 0.05 0.95 0 0.1 0.8 0.1",
          .expect = "0.05129339 2.30258509", .no_gradient = true},
         {"from_logits=true", "int32[3] = 0 4 -1; float64[3,4]", .faults = "label out of range"},
         {"", "int32[1] = -1; float64[1,4] unit", .faults = "label out of range"},
         {"", "int32[3,4]; float64[3,4]", .fails = "without its last axis"},
         {"", "int32[3]; int32[3,4]", .fails = "must be float"})

OP_CASES(sparse_categorical_crossentropy_grad,
         {"", "float64[3]; int32[3] labels:4; float64[3,4] unit", .dtype_factor = 4},
         {"from_logits=true", "float64[3]; int32[3] labels:4; float64[3,4]", .dtype_factor = 4},
         {"from_logits=true, ignore_class=1", "float64[3]; int32[3] = 0 1 2; float64[3,4]"},
         {"from_logits=true", "float64[1]; int32[1] = 7; float64[1,4]",
          .faults = "label out of range"})

OP_CASES(loss_reduce, {"", "float64[5]"}, {"", "float64[5]; float64[5] unit"},
         {"reduction=sum", "float64[2,3]; float64[2,1] unit"},
         {"reduction=mean_with_sample_weight", "float64[2,3]; float64[1,3] unit"},
         {"reduction=mean_with_sample_weight", "float64[2,3]"},
         {"", "float64[4]; -; float64[4] = 1 0 1 1"},
         {"", "float64[4]; float64[4] unit; float64[4] = 1 0 1 1"},
         {"reduction=sum", "float64[4]; float64[4] unit; uint8[4] = 1 0 1 1"},
         {"", "float64[2]; -; float64[2] zero", .expect = "0"}, {"", "float64[0]", .expect = "0"},
         {"", "float64[]"}, {"", "float64[4] = 1 2 3 4; float64[4] = 1 0 0 1", .expect = "1.25"},
         {"reduction=mean_with_sample_weight", "float64[4] = 1 2 3 4; float64[4] = 1 0 0 1",
          .expect = "2.5"},
         {"", "float64[4] = 1 2 3 4; -; -; float64[] = 20", .expect = "0.5"},
         {"reduction=mean_with_sample_weight",
          "float64[4] = 1 2 3 4; float64[4] = 1 0 0 1; -; float64[] = 10", .expect = "0.5"},
         {"", "float64[4] = 1 2 3 4; -; uint8[4] = 1 0 0 1; float64[] = 10", .expect = "0.5"},
         {"", "float64[2]; -; -; float64[] = 0", .expect = "0"},
         {"reduction=sum", "float64[2] = 1 2; -; -; float64[] = 7", .expect = "3"},
         {"", "float64[4]; -; -; float64[4]", .fails = "0 axes"},
         {"", "float64[2,3]; float64[2]", .fails = "one axis for each"},
         {"", "float64[2]; -; float64[3]", .fails = "a mask of shape"})

OP_CASES(loss_reduce_grad, {"shape=[2,3]", "float64[]; float64[2,1]"}, {"shape=[0]", "float64[]"},
         {"shape=[3], reduction=sum", "float64[]; -; float64[3] one"},
         {"shape=[3]", "float64[] = 2; -; -; float64[] = 8", .expect = "0.25 0.25 0.25"},
         {"shape=[3]", "float64[1]", .fails = "0 axes"})

OP_CASES(categorical_hinge, {"", "float64[3,4] onehot; float64[3,4]"},
         {"", "int32[2,3,4] onehot; float64[2,3,4]"}, {"", "float64[0,4]; float64[0,4]"},
         {"", "float64[2,2] = 0 1 0 0; float64[2,2] = 0.6 0.4 0.4 0.6", .expect = "1.2 1.6",
          .no_gradient = true},
         {"", "float64[2,3]; float64[2,4]", .fails = "the shapes differ"})

OP_CASES(categorical_hinge_grad, {"", "float64[3]; float64[3,4] onehot; float64[3,4]"},
         {"", "float64[2]; float64[2,3]; float64[2,4]", .fails = "the shapes differ"})

OP_CASES(categorical_focal_crossentropy, {"", "float64[3,4] onehot; float64[3,4] unit"},
         {"from_logits=true, label_smoothing=0.1, gamma=1.5, alpha=0.4",
          "int32[2,3,4] onehot; float64[2,3,4]"},
         {"", "float64[0,4]; float64[0,4]"},
         {"", "float64[2,3]; float64[2,4]", .fails = "the shapes differ"})

OP_CASES(categorical_focal_crossentropy_grad,
         {"", "float64[3]; float64[3,4] onehot; float64[3,4] unit", .dtype_factor = 4},
         {"from_logits=true", "float64[3]; float64[3,4] onehot; float64[3,4]", .dtype_factor = 4},
         {"", "float64[4]; float64[3,4]; float64[3,4]", .fails = "gradient of the values"})

OP_CASES(cosine_similarity, {"", "float64[3,4]; float64[3,4]"},
         {"axis=1", "float64[2,3,4]; float64[2,3,4]"}, {"axis=0", "float64[3,4]; float64[3,4]"},
         {"", "float64[0,4]; float64[0,4]"},
         {"", "float64[2,2] = 0 1 1 1; float64[2,2] = 1 0 1 1", .expect = "0 -1"},
         {"", "float64[1,2] = 1 0; float64[1,2] = 1e-9 0", .expect = "-0.01", .no_gradient = true},
         {"axis=2", "float64[3,4]; float64[3,4]", .fails = "there are 2 axes"})

OP_CASES(cosine_similarity_grad, {"", "float64[3]; float64[3,4]; float64[3,4]", .dtype_factor = 4},
         {"axis=0", "float64[4]; float64[3,4]; float64[3,4]", .dtype_factor = 4},
         {"", "float64[4]; float64[3,4]; float64[3,4]", .fails = "gradient of the values"})

OP_CASES(overlap_loss, {"", "float64[3,4] onehot; float64[3,4] unit"},
         {"alpha=0.3, beta=0.6", "int32[2,3,4] onehot; float64[2,3,4] unit"},
         {"", "float64[0,4]; float64[0,4]", .expect = "1"},
         {"", "float64[2,3]; float64[2,4]", .fails = "the shapes differ"})

OP_CASES(overlap_loss_grad, {"", "float64[]; float64[3,4] onehot; float64[3,4] unit"},
         {"", "float64[3]; float64[3,4]; float64[3,4]", .fails = "must be float64[]"})
