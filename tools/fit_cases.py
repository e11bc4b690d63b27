"""The cases of gen_fit_cases.py: small models, and how they are trained."""


class Call:
    """Something with a name and options: an optimizer, a metric, a regularizer."""

    def __init__(self, name, /, **options):
        self.name, self.options = name, options


class Layer:
    def __init__(self, cls, name, ins=(), **options):
        self.cls, self.name, self.options = cls, name, options
        self.ins = ins.split() if isinstance(ins, str) else list(ins)
        self.shape, self.dtype, self.data, self.of = (), None, ("real",), None


def Input(name, *shape, data=("real",)):
    l = Layer("Input", name)
    l.shape, l.data = tuple(shape), data
    l.dtype = "int32" if data[0] == "class" else None
    return l


def Again(name, of, ins):
    l = Layer("Again", name, ins)
    l.of = of
    return l


class Case:
    def __init__(self, group, name, layers, y, loss, optimizer=None, outputs=None, metrics=(),
                 weighted_metrics=(), loss_weights=None, rows=11, val_rows=0, sample_weight=False,
                 class_weight=None, fits=1, val_weighted=True, dtype="float64", tolerance=(1e-7, 1e-6), **fit):
        self.group, self.name, self.layers, self.dtype = group, name, layers, dtype
        self.outputs = outputs or [layers[-1].name]
        self.y = y if isinstance(y, list) else [y]
        self.loss = loss if isinstance(loss, list) else [loss]
        self.optimizer = optimizer or Call("SGD", learning_rate=0.125)
        pair = lambda m: m if isinstance(m, tuple) else (None, m)
        self.metrics = [pair(m) for m in metrics]
        self.weighted_metrics = [pair(m) for m in weighted_metrics]
        self.loss_weights, self.rows, self.val_rows = loss_weights, rows, val_rows
        self.sample_weight, self.class_weight, self.tolerance = sample_weight, class_weight, tolerance
        self.fit = dict(batch_size=4, epochs=3)
        self.fit.update(fit)
        self.made, self.fits, self.val_weighted = {}, fits, val_weighted


CLASSES = (("class", 3), ())
ONEHOT = (("onehot", 3), (3,))
BITS = (("bits",), (1,))
REALS = (("real",), (2,))
SPARSE, CATEGORICAL = "sparse_categorical_crossentropy", "categorical_crossentropy"
BINARY = "binary_crossentropy"

# Sums of a handful of terms, a dozen steps: a few units in the last place.
FLOAT32 = dict(dtype="float32", tolerance=(2e-6, 2e-6))

# Keras casts betas, momentum and rho through float32 even where weights are float64: these are
# exact there, so that both compute the same.  (Nadam has a 0.96 that no option changes.)
BETAS = dict(beta_1=0.875, beta_2=0.9921875)
# With the usual betas Keras's 1 - beta_2^t in float32 is off by 1.3e-5 in the first steps, ours
# (double) is not: steps differ by half of that, and a weight that they bring near 0 by more.
ROUNDED = dict(dtype="float32", tolerance=(1e-4, 1e-5))


def mlp(units=3, activation="softmax", hidden="tanh", width=5, **options):
    return [Input("x", 4), Layer("Dense", "hidden", "x", units=width, activation=hidden, **options),
            Layer("Dense", "out", "hidden", units=units, activation=activation)]


def steps(name, optimizer, **more):
    more.setdefault("layers", mlp(width=4))
    return Case("optimizers", name, y=CLASSES, loss=SPARSE, optimizer=optimizer, epochs=4, **more)


TAGS = (("class", 3), (5,))


def words(mask=True):
    return [Input("x", 5, data=("class", 4)),
            Layer("Embedding", "e", "x", input_dim=4, output_dim=3, mask_zero=mask)]


def tagger():
    return words() + [Layer("Dense", "out", "e", units=3, activation="softmax")]


def two_texts(second=True):
    return [Input("a", 5, data=("class", 4)), Input("b", 5, data=("class", 3)),
            Layer("Embedding", "ea", "a", input_dim=4, output_dim=3, mask_zero=True),
            Layer("Embedding", "eb", "b", input_dim=3, output_dim=3, mask_zero=second)]


CASES = [
    # ---- losses on dense layers ----
    Case("dense", "softmax_sparse", mlp(), CLASSES, SPARSE, metrics=["accuracy"]),
    Case("dense", "softmax_onehot", mlp(), ONEHOT, CATEGORICAL, metrics=["accuracy"]),
    Case("dense", "onehot_smoothed", mlp(), ONEHOT,
         Call("CategoricalCrossentropy", label_smoothing=0.125), metrics=["accuracy"]),
    Case("dense", "logits_sparse", mlp(activation="linear"), CLASSES,
         Call("SparseCategoricalCrossentropy", from_logits=True), metrics=["accuracy"]),
    Case("dense", "sigmoid_binary", mlp(1, "sigmoid"), BITS, BINARY, metrics=["accuracy"]),
    Case("dense", "binary_without_axis", mlp(1, "sigmoid"), (("bits",), ()), BINARY,
         metrics=["accuracy"]),
    Case("dense", "linear_mse", mlp(2, "linear"), REALS, "mse", metrics=["mae"]),
    Case("dense", "linear_mae", mlp(2, "linear"), REALS, "mae", metrics=["mse"]),
    Case("dense", "linear_huber", mlp(2, "linear"), REALS, Call("Huber", delta=0.5),
         metrics=["mean_absolute_error"]),
    Case("dense", "float32_softmax", mlp(hidden="relu"), CLASSES, SPARSE, metrics=["accuracy"],
         **FLOAT32),
    Case("dense", "mse_sum", mlp(2, "linear"), REALS,
         Call("MeanSquaredError", reduction="sum"), optimizer=Call("SGD", learning_rate=0.03125)),
    Case("dense", "relu_dead", mlp(hidden="relu"), CLASSES, SPARSE, metrics=["accuracy"]),

    # ---- optimizers ----
    steps("sgd", Call("SGD", learning_rate=0.1)),
    steps("sgd_momentum", Call("SGD", learning_rate=0.125, momentum=0.875)),
    steps("sgd_nesterov", Call("SGD", learning_rate=0.125, momentum=0.875, nesterov=True)),
    steps("sgd_decay", Call("SGD", learning_rate=0.125, weight_decay=0.015625)),
    steps("adam", Call("Adam", learning_rate=0.0625, **BETAS)),
    steps("adam_amsgrad", Call("Adam", learning_rate=0.0625, amsgrad=True, **BETAS)),
    steps("adamw", Call("AdamW", learning_rate=0.0625, weight_decay=0.125, **BETAS)),
    steps("rmsprop", Call("RMSprop", learning_rate=0.015625, rho=0.875)),
    steps("rmsprop_centered", Call("RMSprop", learning_rate=0.015625, rho=0.875, centered=True,
                                   momentum=0.5)),
    steps("nadam", Call("Nadam", learning_rate=0.0625, **BETAS),
          tolerance=(3e-6, 1e-6)),
    steps("adamax", Call("Adamax", learning_rate=0.0625, **BETAS)),
    steps("adagrad", Call("Adagrad", learning_rate=0.125, initial_accumulator_value=0.125)),
    steps("adadelta", Call("Adadelta", learning_rate=1.0, rho=0.9375)),
    steps("lion", Call("Lion", learning_rate=0.015625, **BETAS)),
    steps("ftrl", Call("Ftrl", learning_rate=0.125)),
    steps("clipnorm", Call("SGD", learning_rate=0.5, clipnorm=0.125)),
    steps("global_clipnorm", Call("Adam", learning_rate=0.125, global_clipnorm=0.25, **BETAS)),
    steps("clipvalue", Call("SGD", learning_rate=0.5, clipvalue=0.0625)),
    steps("ema", Call("SGD", learning_rate=0.25, use_ema=True, ema_momentum=0.75),
          val_rows=5, metrics=["accuracy"]),
    steps("ema_overwrite", Call("Adam", learning_rate=0.0625, use_ema=True, ema_momentum=0.75,
                                ema_overwrite_frequency=4, **BETAS), val_rows=5),
    steps("accumulate", Call("SGD", learning_rate=0.25, momentum=0.875,
                             gradient_accumulation_steps=2), rows=12, batch_size=2),
    steps("accumulate_as_one", Call("SGD", learning_rate=0.25, momentum=0.875), rows=12),
    steps("accumulate_partial", Call("Adam", learning_rate=0.0625, gradient_accumulation_steps=2,
                                     **BETAS)),
    steps("decay_rate", Call("SGD", learning_rate=Call(
        "ExponentialDecay", initial_learning_rate=0.5, decay_steps=4, decay_rate=0.5))),
    steps("decay_staircase", Call("Adam", learning_rate=Call(
        "ExponentialDecay", initial_learning_rate=0.125, decay_steps=3, decay_rate=0.5,
        staircase=True), **BETAS)),
    steps("decay_cosine", Call("SGD", learning_rate=Call(
        "CosineDecay", initial_learning_rate=0.25, decay_steps=10))),
    steps("decay_accumulated", Call("SGD", gradient_accumulation_steps=2, learning_rate=Call(
        "ExponentialDecay", initial_learning_rate=0.5, decay_steps=2, decay_rate=0.5))),
    steps("adam_defaults", "adam", **ROUNDED),
    steps("adam_usual", Call("Adam", learning_rate=0.05), **ROUNDED),
    steps("adamw_defaults", "adamw", **ROUNDED),
    steps("sgd_defaults", "sgd", **ROUNDED),
    steps("sgd_usual", Call("SGD", learning_rate=0.1, momentum=0.9), **ROUNDED),
    steps("rmsprop_defaults", "rmsprop", **ROUNDED),
    steps("nadam_defaults", "nadam", **ROUNDED),
    steps("lion_usual", Call("Lion", learning_rate=0.01), **ROUNDED),

    # ---- penalties and constraints ----
    Case("penalties", "l2", mlp(kernel_regularizer=Call("L2", l2=0.0625)), CLASSES, SPARSE,
         val_rows=5, metrics=["accuracy"]),
    Case("penalties", "l1_bias", mlp(bias_regularizer=Call("L1", l1=0.03125)), CLASSES, SPARSE),
    Case("penalties", "l2_frozen", mlp(kernel_regularizer=Call("L2", l2=0.0625), trainable=False),
         CLASSES, SPARSE),
    Case("penalties", "max_norm", mlp(kernel_constraint=Call("MaxNorm", max_value=0.75, axis=0)),
         CLASSES, SPARSE, optimizer=Call("Adam", learning_rate=0.125, **BETAS)),
    Case("penalties", "non_neg", mlp(kernel_constraint=Call("NonNeg")), CLASSES, SPARSE),

    # ---- what fit is told ----
    Case("fit", "sample_weight", mlp(), CLASSES, SPARSE, sample_weight=True, val_rows=6,
         metrics=["accuracy"], weighted_metrics=[Call("SparseCategoricalAccuracy", name="wacc")]),
    Case("fit", "class_weight", mlp(), CLASSES, SPARSE, class_weight=[0.5, 2.0, 1.0], val_rows=6,
         metrics=["accuracy"], weighted_metrics=[Call("SparseCategoricalAccuracy", name="wacc")]),
    Case("fit", "class_weight_onehot", mlp(), ONEHOT, CATEGORICAL, class_weight=[0.5, 2.0, 1.0]),
    Case("fit", "class_weight_binary", mlp(1, "sigmoid"), BITS, BINARY, class_weight=[0.5, 2.0]),
    Case("fit", "split", mlp(), CLASSES, SPARSE, metrics=["accuracy"], rows=17,
         validation_split=0.3),
    Case("fit", "split_weighted", mlp(), CLASSES, SPARSE, metrics=["accuracy"], rows=17,
         sample_weight=True, validation_split=0.3),
    Case("fit", "validation_freq", mlp(), CLASSES, SPARSE, metrics=["accuracy"], val_rows=7,
         validation_freq=2, epochs=5, validation_batch_size=3),
    Case("fit", "validation_steps", mlp(), CLASSES, SPARSE, metrics=["accuracy"], val_rows=7,
         validation_steps=2, validation_batch_size=2),
    Case("fit", "initial_epoch", mlp(), CLASSES, SPARSE, val_rows=5, initial_epoch=2, epochs=5,
         validation_freq=2),
    Case("fit", "steps_per_epoch", mlp(), CLASSES, SPARSE, metrics=["accuracy"], rows=17,
         steps_per_epoch=2, epochs=2),
    Case("fit", "steps_per_epoch_wraps", mlp(), CLASSES, SPARSE, metrics=["accuracy"], rows=11,
         steps_per_epoch=2, epochs=4),
    Case("fit", "one_large_batch", mlp(), CLASSES, SPARSE, metrics=["accuracy"], batch_size=64),

    # ---- metrics ----
    Case("metrics", "binary_metrics", mlp(1, "sigmoid"), BITS, BINARY, rows=23, val_rows=9,
         metrics=["binary_accuracy", Call("AUC"), Call("Precision"), Call("Recall"),
                  Call("AUC", curve="PR", num_thresholds=50, name="pr")]),
    Case("metrics", "binary_strings", mlp(1, "sigmoid"), BITS, BINARY, rows=23,
         metrics=["acc", "AUC", "Precision", "Recall"]),
    Case("metrics", "binary_weighted", mlp(1, "sigmoid"), BITS, BINARY, rows=23, val_rows=9,
         sample_weight=True, metrics=[Call("AUC", name="plain_auc")],
         weighted_metrics=[Call("AUC"), Call("Precision"), Call("Recall"), "mse"]),
    Case("metrics", "many_labels", mlp(3, "sigmoid"), (("bits",), (3,)), BINARY, rows=14,
         sample_weight=True, metrics=[Call("BinaryAccuracy", threshold=0.625), Call("AUC")],
         weighted_metrics=[Call("AUC", name="wauc"), Call("Precision", name="wprecision"),
                           Call("BinaryAccuracy", name="wacc")]),
    Case("metrics", "top_k", mlp(6), (("class", 6), ()), SPARSE, rows=13, **FLOAT32,
         metrics=[Call("SparseTopKCategoricalAccuracy", k=2),
                  Call("SparseCategoricalCrossentropy", name="ce"),
                  "sparse_categorical_accuracy"]),
    Case("metrics", "top_k_onehot", mlp(6), (("onehot", 6), (6,)), CATEGORICAL, rows=13,
         **FLOAT32, metrics=[Call("TopKCategoricalAccuracy", k=3), "categorical_accuracy", "acc"]),
    Case("metrics", "mean_iou", mlp(), CLASSES, SPARSE, rows=13,
         metrics=[Call("MeanIoU", num_classes=3, sparse_y_pred=False)]),
    Case("metrics", "regression", mlp(2, "linear"), REALS, "mse", rows=13,
         metrics=["mae", "mse", "RootMeanSquaredError", "cosine_similarity", "mape"]),
    Case("metrics", "names_behind_val", mlp(), CLASSES, SPARSE, val_rows=5,
         metrics=[Call("SparseCategoricalAccuracy", name="zeta"),
                  Call("SparseCategoricalAccuracy", name="Alpha")]),

    # ---- several inputs and outputs, layers called twice, frozen layers ----
    Case("functional", "two_by_two",
         [Input("a", 3), Input("b", 2), Layer("Dense", "da", "a", units=4, activation="relu"),
          Layer("Dense", "db", "b", units=4, activation="tanh"),
          Layer("Concatenate", "both", "da db"),
          Layer("Dense", "kind", "both", units=3, activation="softmax"),
          Layer("Dense", "amount", "both", units=1)],
         [CLASSES, (("real",), (1,))], [SPARSE, "mse"], outputs=["kind", "amount"],
         loss_weights=[0.5, 2.0], metrics=[("kind", "accuracy"), ("amount", "mae")], val_rows=5,
         optimizer=Call("Adam", learning_rate=0.0625, **BETAS)),
    Case("functional", "two_outputs_weighted",
         [Input("a", 3), Layer("Dense", "h", "a", units=4, activation="relu"),
          Layer("Dense", "one", "h", units=2), Layer("Dense", "two", "h", units=1)],
         [REALS, (("real",), (1,))], ["mse", "mae"], outputs=["one", "two"], sample_weight=True,
         val_rows=6, metrics=[("one", "mae"), ("two", "mse")],
         weighted_metrics=[("two", Call("MeanSquaredError", name="wmse"))]),
    Case("functional", "shared",
         [Input("a", 3), Input("b", 3), Layer("Dense", "twin", "a", units=4, activation="tanh"),
          Again("twin_b", "twin", "b"), Layer("Subtract", "apart", "twin twin_b"),
          Layer("Dense", "out", "apart", units=1, activation="sigmoid")],
         BITS, BINARY, metrics=["accuracy"], optimizer=Call("SGD", learning_rate=0.25, momentum=0.5)),
    Case("functional", "frozen", mlp(trainable=False), CLASSES, SPARSE, metrics=["accuracy"]),
    Case("functional", "residual",
         [Input("x", 4), Layer("Dense", "h", "x", units=4, activation="gelu"),
          Layer("Add", "sum", "x h"), Layer("Multiply", "product", "sum h"),
          Layer("Dense", "out", "product", units=3, activation="softmax")], CLASSES, SPARSE),

    # ---- networks ----
    Case("networks", "cnn",
         [Input("x", 9, 9, 2),
          Layer("Conv2D", "c1", "x", filters=3, kernel_size=3, padding="same", use_bias=False),
          Layer("BatchNormalization", "bn1", "c1"), Layer("ReLU", "r1", "bn1"),
          Layer("MaxPooling2D", "mp", "r1", pool_size=2),
          Layer("Conv2D", "c2", "mp", filters=4, kernel_size=2, strides=2, activation="relu"),
          Layer("AveragePooling2D", "ap", "c2", pool_size=2, strides=1, padding="same"),
          Layer("GlobalAveragePooling2D", "gap", "ap"),
          Layer("Dense", "out", "gap", units=3, activation="softmax")],
         CLASSES, SPARSE, metrics=["accuracy"], val_rows=6,
         optimizer=Call("SGD", learning_rate=0.0625, momentum=0.875, nesterov=True)),
    Case("networks", "cnn_strided_same",
         [Input("x", 8, 7, 2),
          Layer("Conv2D", "c1", "x", filters=4, kernel_size=[3, 2], strides=2, padding="same",
                activation="elu"),
          Layer("BatchNormalization", "bn1", "c1", momentum=0.875, epsilon=0.0078125),
          Layer("MaxPooling2D", "mp", "bn1", pool_size=3, strides=2, padding="same"),
          Layer("Conv2D", "c2", "mp", filters=4, kernel_size=1, groups=2),
          Layer("Flatten", "f", "c2"), Layer("Dense", "out", "f", units=3, activation="softmax")],
         CLASSES, SPARSE, metrics=["accuracy"], val_rows=6,
         optimizer=Call("Adam", learning_rate=0.03125, **BETAS)),
    Case("networks", "cnn_float32",
         [Input("x", 8, 8, 2),
          Layer("Conv2D", "c1", "x", filters=4, kernel_size=3, padding="same", use_bias=False),
          Layer("BatchNormalization", "bn1", "c1"), Layer("ReLU", "r1", "bn1"),
          Layer("GlobalAveragePooling2D", "gap", "r1"),
          Layer("Dense", "out", "gap", units=3, activation="softmax")],
         CLASSES, SPARSE, metrics=["accuracy"], val_rows=6, dtype="float32",
         tolerance=(2e-5, 5e-6)),
    Case("networks", "separable",
         [Input("x", 6, 6, 3),
          Layer("Conv2D", "stem", "x", filters=4, kernel_size=1, use_bias=False),
          Layer("DepthwiseConv2D", "dw", "stem", kernel_size=3, padding="same", use_bias=False),
          Layer("BatchNormalization", "bn1", "dw"), Layer("ReLU", "r1", "bn1", max_value=6.0),
          Layer("Conv2D", "pw", "r1", filters=4, kernel_size=1, use_bias=False),
          Layer("BatchNormalization", "bn2", "pw"), Layer("Add", "sum", "stem bn2"),
          Layer("SeparableConv2D", "sep", "sum", filters=3, kernel_size=3, strides=2,
                padding="same", activation="relu6"),
          Layer("GlobalMaxPooling2D", "top", "sep"),
          Layer("Dense", "out", "top", units=3, activation="softmax")],
         CLASSES, SPARSE, metrics=["accuracy"], val_rows=5,
         optimizer=Call("RMSprop", learning_rate=0.0078125, rho=0.875, momentum=0.5)),
    Case("networks", "layer_norm_block",
         [Input("x", 5, 6), Layer("LayerNormalization", "ln", "x"),
          Layer("Dense", "up", "ln", units=8, activation="gelu"),
          Layer("Dense", "down", "up", units=6), Layer("Add", "sum", "x down"),
          Layer("GlobalAveragePooling1D", "gap", "sum"),
          Layer("Dense", "out", "gap", units=3, activation="softmax")],
         CLASSES, SPARSE, metrics=["accuracy"],
         optimizer=Call("AdamW", learning_rate=0.03125, weight_decay=0.0625, **BETAS),
         tolerance=(5e-6, 1e-6)),  # TensorFlow's gelu has the root of 2 in float32
    Case("networks", "words",
         [Input("words", 6, data=("class", 11)),
          Layer("Embedding", "table", "words", input_dim=11, output_dim=4),
          Layer("GlobalAveragePooling1D", "gap", "table"),
          Layer("Dense", "h", "gap", units=4, activation="silu"),
          Layer("Dense", "out", "h", units=1, activation="sigmoid")],
         BITS, BINARY, metrics=["accuracy", Call("AUC")],
         optimizer=Call("Adam", learning_rate=0.0625, **BETAS)),
    Case("networks", "u_net",
         [Input("x", 8, 8, 1),
          Layer("Conv2D", "down", "x", filters=3, kernel_size=3, padding="same",
                activation="relu"),
          Layer("MaxPooling2D", "pool", "down"),
          Layer("Conv2D", "deep", "pool", filters=4, kernel_size=3, padding="same",
                activation="relu"),
          Layer("Conv2DTranspose", "up", "deep", filters=3, kernel_size=2, strides=2,
                padding="same"),
          Layer("Concatenate", "join", "down up"),
          Layer("Conv2D", "out", "join", filters=3, kernel_size=1, activation="softmax")],
         (("class", 3), (8, 8)), SPARSE, rows=6, val_rows=5,
         metrics=["accuracy", Call("MeanIoU", num_classes=3, sparse_y_pred=False)],
         optimizer=Call("Adam", learning_rate=0.03125, **BETAS)),
    Case("networks", "u_net_weighted",
         [Input("x", 4, 4, 1),
          Layer("Conv2DTranspose", "up", "x", filters=2, kernel_size=3, strides=2),
          Layer("UpSampling2D", "bigger", "x", size=2), Layer("Cropping2D", "cut", "up",
                                                              cropping=[[0, 1], [1, 0]]),
          Layer("Concatenate", "join", "bigger cut"),
          Layer("Conv2D", "out", "join", filters=3, kernel_size=1, activation="softmax")],
         (("class", 3), (8, 8)), SPARSE, rows=7, sample_weight=True, val_rows=5,
         metrics=["accuracy"], weighted_metrics=[Call("SparseCategoricalAccuracy", name="wacc")]),
    Case("networks", "frozen_batch_norm",
         [Input("x", 6, 6, 2), Layer("Conv2D", "c1", "x", filters=3, kernel_size=3),
          Layer("BatchNormalization", "bn1", "c1", trainable=False), Layer("ReLU", "r1", "bn1"),
          Layer("GlobalAveragePooling2D", "gap", "r1"),
          Layer("Dense", "out", "gap", units=3, activation="softmax")],
         CLASSES, SPARSE, metrics=["accuracy"], val_rows=5),
    Case("networks", "frozen_conv",
         [Input("x", 6, 6, 2), Layer("Conv2D", "c1", "x", filters=3, kernel_size=3,
                                     trainable=False),
          Layer("BatchNormalization", "bn1", "c1"), Layer("ReLU", "r1", "bn1"),
          Layer("GlobalAveragePooling2D", "gap", "r1"),
          Layer("Dense", "out", "gap", units=3, activation="softmax")],
         CLASSES, SPARSE, metrics=["accuracy"], val_rows=5),
    Case("networks", "shared_conv_and_norm",
         [Input("a", 6, 6, 1), Input("b", 6, 6, 1),
          Layer("Conv2D", "c", "a", filters=3, kernel_size=3), Again("c_b", "c", "b"),
          Layer("BatchNormalization", "bn", "c", momentum=0.75), Again("bn_b", "bn", "c_b"),
          Layer("Multiply", "product", "bn bn_b"),
          Layer("GlobalAveragePooling2D", "gap", "product"),
          Layer("Dense", "out", "gap", units=1, activation="sigmoid")],
         BITS, BINARY, metrics=["accuracy"], val_rows=5),
    Case("networks", "group_norm",
         [Input("x", 5, 5, 4), Layer("GroupNormalization", "gn", "x", groups=2),
          Layer("Conv2D", "c", "gn", filters=4, kernel_size=3, dilation_rate=2,
                kernel_regularizer=Call("L2", l2=0.03125)),
          Layer("RMSNormalization", "rms", "c"), Layer("Flatten", "f", "rms"),
          Layer("Dense", "out", "f", units=3)],
         CLASSES, Call("SparseCategoricalCrossentropy", from_logits=True), metrics=["accuracy"]),
    Case("networks", "rows_of_text",
         [Input("x", 9, 3), Layer("Conv1D", "c", "x", filters=4, kernel_size=3, padding="causal",
                                  activation="relu"),
          Layer("MaxPooling1D", "mp", "c", pool_size=2), Layer("Conv1DTranspose", "ct", "mp",
                                                                filters=3, kernel_size=2),
          Layer("GlobalMaxPooling1D", "top", "ct"), Layer("Dense", "out", "top", units=2)],
         REALS, "huber", metrics=["mae"]),

    # ---- what is seldom done ----
    Case("edges", "two_fits", mlp(), CLASSES, SPARSE, fits=2, val_rows=5,
         optimizer=Call("Adam", learning_rate=0.0625, **BETAS)),
    Case("edges", "two_fits_ema", mlp(), CLASSES, SPARSE, fits=2,
         optimizer=Call("SGD", learning_rate=0.25, momentum=0.5, use_ema=True, ema_momentum=0.75)),
    Case("edges", "two_fits_schedule", mlp(), CLASSES, SPARSE, fits=2,
         optimizer=Call("SGD", learning_rate=Call("ExponentialDecay", initial_learning_rate=0.5,
                                                  decay_steps=4, decay_rate=0.5))),
    Case("edges", "two_fits_accumulated", mlp(), CLASSES, SPARSE, fits=2,
         optimizer=Call("SGD", learning_rate=0.25, gradient_accumulation_steps=2)),
    Case("edges", "ema_batch_norm",
         [Input("x", 4), Layer("Dense", "h", "x", units=4), Layer("BatchNormalization", "bn", "h"),
          Layer("Dense", "out", "bn", units=3, activation="softmax")], CLASSES, SPARSE, val_rows=5,
         optimizer=Call("SGD", learning_rate=0.25, use_ema=True, ema_momentum=0.75)),
    Case("edges", "more_steps_than_data", mlp(), CLASSES, SPARSE, metrics=["accuracy"],
         steps_per_epoch=5, epochs=3),
    Case("edges", "more_validation_steps", mlp(), CLASSES, SPARSE, val_rows=5,
         validation_steps=4),
    Case("edges", "split_class_weight", mlp(), CLASSES, SPARSE, rows=17, validation_split=0.25,
         class_weight=[0.5, 2.0], weighted_metrics=["accuracy"]),
    Case("edges", "split_over_data", mlp(), CLASSES, SPARSE, val_rows=5, validation_split=0.25),
    Case("edges", "class_weight_column", mlp(), (("class", 3), (1,)), SPARSE,
         class_weight=[0.5, 2.0, 1.0], metrics=["accuracy"]),
    Case("edges", "labels_as_reals", mlp(), (("steps", 3), ()), SPARSE, metrics=["accuracy"]),
    Case("edges", "labels_as_bytes", mlp(), (("bytes", 3), ()), SPARSE, metrics=["accuracy"]),
    Case("edges", "bits_as_integers", mlp(1, "sigmoid"), (("class", 2), (1,)), BINARY,
         metrics=["accuracy", Call("AUC")]),
    Case("edges", "pixels",
         [Input("x", 4, 4, 1, data=("bytes", 256)),
          Layer("Rescaling", "unit", "x", scale=0.00390625, offset=-0.5),
          Layer("Flatten", "f", "unit"), Layer("Dense", "out", "f", units=3, activation="softmax")],
         CLASSES, SPARSE, metrics=["accuracy"]),
    Case("edges", "ignored_class", mlp(), CLASSES,
         Call("SparseCategoricalCrossentropy", ignore_class=1), metrics=["accuracy"], val_rows=5),
    Case("edges", "ignored_class_outside", mlp(), (("class", 4), ()),
         Call("SparseCategoricalCrossentropy", ignore_class=3), metrics=["accuracy"], val_rows=5),
    Case("edges", "same_metric_twice", mlp(), CLASSES, SPARSE, sample_weight=True, val_rows=5,
         metrics=["accuracy", "acc"], weighted_metrics=["accuracy"]),
    Case("edges", "same_metric_twice_by_output",
         [Input("a", 3), Layer("Dense", "one", "a", units=2), Layer("Dense", "two", "a", units=1)],
         [REALS, (("real",), (1,))], ["mse", "mae"], outputs=["one", "two"], sample_weight=True,
         metrics=[("one", "mae"), ("two", "mse")],
         weighted_metrics=[("two", "mse"), ("one", "mae")]),
    Case("edges", "one_loss_for_all",
         [Input("a", 3), Layer("Dense", "one", "a", units=2), Layer("Dense", "two", "a", units=1)],
         [(("real",), (1,)), REALS], "mse", outputs=["two", "one"], metrics=["mae"]),
    Case("edges", "no_loss_weight_for_penalties",
         [Input("a", 3), Layer("Dense", "one", "a", units=2, kernel_regularizer=Call("L2", l2=0.25)),
          Layer("Dense", "two", "a", units=1, bias_regularizer=Call("L1", l1=0.25))],
         [REALS, (("real",), (1,))], ["mse", "huber"], outputs=["one", "two"],
         loss_weights=[0.25, 3.0], val_rows=5),
    Case("edges", "one_row_left",
         [Input("x", 4), Layer("Dense", "h", "x", units=4), Layer("BatchNormalization", "bn", "h"),
          Layer("Dense", "out", "bn", units=3, activation="softmax")], CLASSES, SPARSE, rows=9),
    Case("edges", "batch_norm_options",
         [Input("x", 4, 3), Layer("BatchNormalization", "plain", "x", center=False, scale=False),
          Layer("Dense", "h", "plain", units=4),
          Layer("BatchNormalization", "bn", "h", momentum=0.5,
                gamma_regularizer=Call("L2", l2=0.0625), beta_constraint=Call("NonNeg")),
          Layer("Flatten", "f", "bn"), Layer("Dense", "out", "f", units=3, activation="softmax")],
         CLASSES, SPARSE, rows=9, val_rows=5),
    Case("edges", "counts", mlp(1, "sigmoid"), BITS, BINARY, rows=13,
         metrics=[Call("TruePositives"), Call("FalseNegatives", thresholds=0.25),
                  Call("FalsePositives"), Call("TrueNegatives"), Call("Precision", thresholds=0.75),
                  Call("AUC", num_thresholds=7, summation_method="minoring")]),
    Case("edges", "accuracy_of_reals", mlp(1, "linear"), (("steps", 2), (1,)), "mse",
         metrics=["accuracy"]),
    Case("edges", "accuracy_of_two_reals", mlp(2, "linear"), REALS, "mse", metrics=["accuracy"]),
    Case("edges", "shared_penalty",
         [Input("a", 3), Input("b", 3),
          Layer("Dense", "twin", "a", units=3, kernel_regularizer=Call("L2", l2=0.125)),
          Again("twin_b", "twin", "b"), Layer("Maximum", "most", "twin twin_b"),
          Layer("Dense", "out", "most", units=1, activation="sigmoid")],
         BITS, BINARY, metrics=["accuracy"]),
    Case("edges", "weights_of_zero", mlp(), CLASSES, SPARSE, sample_weight=("bits",), batch_size=2,
         weighted_metrics=["accuracy"], val_rows=5),
    Case("edges", "validation_without_weights", mlp(), CLASSES, SPARSE, sample_weight=True,
         val_weighted=False, weighted_metrics=["accuracy"], val_rows=5),
    Case("edges", "mean_by_weights", mlp(), CLASSES,
         Call("SparseCategoricalCrossentropy", reduction="mean_with_sample_weight"),
         sample_weight=True, val_rows=5),
    Case("edges", "dropped_nothing",
         [Input("x", 5, 4), Layer("Dropout", "d", "x", rate=0.0),
          Layer("SpatialDropout1D", "sd", "d", rate=0.0), Layer("PReLU", "p", "sd"),
          Layer("LeakyReLU", "l", "p", negative_slope=0.25), Layer("Permute", "t", "l", dims=[2, 1]),
          Layer("AveragePooling1D", "ap", "t", pool_size=2), Layer("Reshape", "r", "ap",
                                                                   target_shape=[10]),
          Layer("Dense", "out", "r", units=3, activation="softmax")], CLASSES, SPARSE),

    # ---- outputs that are maps or sequences, other losses ----
    Case("maps", "sequence_labels",
         [Input("x", 5, 3), Layer("Dense", "h", "x", units=4, activation="tanh"),
          Layer("Dense", "out", "h", units=3, activation="softmax")],
         (("class", 3), (5,)), SPARSE, metrics=["accuracy"], val_rows=5),
    Case("maps", "sequence_weighted",
         [Input("x", 5, 3), Layer("Dense", "out", "x", units=3, activation="softmax")],
         (("class", 3), (5,)), SPARSE, metrics=["accuracy"], val_rows=5, sample_weight=True,
         weighted_metrics=["accuracy", Call("SparseCategoricalCrossentropy", name="ce")]),
    Case("maps", "autoencoder",
         [Input("x", 6, 6, 1),
          Layer("Conv2D", "c", "x", filters=3, kernel_size=3, strides=2, activation="relu",
                padding="same"),
          Layer("Conv2DTranspose", "out", "c", filters=2, kernel_size=3, strides=2,
                padding="same")], (("real",), (6, 6, 2)), "mse", metrics=["mae"], val_rows=3, rows=6),
    Case("maps", "binary_map",
         [Input("x", 4, 4, 2),
          Layer("Conv2D", "out", "x", filters=1, kernel_size=3, padding="same",
                activation="sigmoid")], (("bits",), (4, 4, 1)), BINARY, rows=6, val_rows=3,
         metrics=["accuracy", Call("AUC"), Call("Recall")]),
    Case("maps", "dice",
         [Input("x", 4, 4, 2), Layer("Conv2D", "out", "x", filters=1, kernel_size=3,
                                     padding="same", activation="sigmoid")],
         (("bits",), (4, 4, 1)), "dice", rows=6),
    Case("maps", "tversky",
         [Input("x", 4, 4, 2), Layer("Conv2D", "out", "x", filters=3, kernel_size=1,
                                     activation="softmax")],
         (("onehot", 3), (4, 4, 3)), Call("Tversky", alpha=0.25, beta=0.75), rows=6),
    Case("maps", "focal", mlp(1, "sigmoid"), BITS, "binary_focal_crossentropy"),
    Case("maps", "focal_categories", mlp(), ONEHOT, "categorical_focal_crossentropy"),
    Case("maps", "divergence", mlp(), ONEHOT, "kl_divergence"),
    Case("maps", "hinge", mlp(1, "tanh"), BITS, "hinge", metrics=["accuracy"]),
    Case("maps", "squared_hinge", mlp(1, "tanh"), BITS, "squared_hinge"),
    Case("maps", "categorical_hinge", mlp(), ONEHOT, "categorical_hinge"),
    Case("maps", "poisson", mlp(2, "softplus"), (("real", 0.5, 1.0), (2,)), "poisson"),
    Case("maps", "logarithmic", mlp(2, "softplus"), (("real", 0.5, 1.0), (2,)), "msle"),
    Case("maps", "percentage", mlp(2, "softplus"), (("real", 0.5, 1.0), (2,)), "mape",
         optimizer=Call("SGD", learning_rate=0.00390625)),
    Case("maps", "log_cosh", mlp(2, "linear"), REALS, Call("LogCosh")),
    Case("maps", "cosine", mlp(2, "linear"), REALS, "cosine_similarity"),
] + [
    Case("activations", "activation_" + a, mlp(2, "linear", hidden=a, width=2), REALS, "mse", epochs=2,
         rows=6)
    for a in ("relu", "relu6", "sigmoid", "softplus", "softsign", "silu", "elu", "selu", "celu",
              "exponential", "hard_sigmoid", "hard_silu", "leaky_relu", "mish", "log_softmax",
              "log_sigmoid", "softmax", "tanh_shrink", "hard_tanh", "squareplus")
] + [
    # ---- masks ----
    Case("masks", "mean_of_words", words() + [
        Layer("GlobalAveragePooling1D", "mean", "e"),
        Layer("Dense", "out", "mean", units=3, activation="softmax")], CLASSES, SPARSE,
         metrics=["accuracy"], val_rows=5),
    Case("masks", "word_by_word", tagger(), TAGS, SPARSE, val_rows=5,
         metrics=["accuracy", Call("SparseCategoricalCrossentropy", name="ce")],
         weighted_metrics=[Call("SparseCategoricalAccuracy", name="wacc")]),
    Case("masks", "word_by_word_weighted", tagger(), TAGS, SPARSE, val_rows=5, sample_weight=True,
         metrics=["accuracy"], weighted_metrics=[Call("SparseCategoricalAccuracy", name="wacc")]),
    Case("masks", "some_ignored", tagger(), TAGS,
         Call("SparseCategoricalCrossentropy", ignore_class=1), metrics=["accuracy"]),
    Case("masks", "in_sum", tagger(), TAGS,
         Call("SparseCategoricalCrossentropy", reduction="sum"),
         optimizer=Call("SGD", learning_rate=0.015625)),
    Case("masks", "mean_by_weight", tagger(), TAGS,
         Call("SparseCategoricalCrossentropy", reduction="mean_with_sample_weight"),
         sample_weight=True),
    Case("masks", "reals", words() + [Layer("Dense", "out", "e", units=2)], (("real",), (5, 2)), "mse",
         metrics=["mae", "RootMeanSquaredError", "cosine_similarity"], val_rows=5),
    Case("masks", "handed_on", words() + [
        Layer("BatchNormalization", "bn", "e"), Layer("LayerNormalization", "ln", "bn"),
        Layer("Dropout", "d", "ln", rate=0.0), Layer("Activation", "a", "d", activation="tanh"),
        Layer("Rescaling", "r", "a", scale=2.0), Layer("Dense", "h", "r", units=4),
        Layer("ReLU", "relu", "h"), Layer("BatchNormalization", "bn2", "relu", scale=False),
        Layer("Dense", "out", "bn2", units=3, activation="softmax")], TAGS, SPARSE,
         metrics=["accuracy"], val_rows=5),
    Case("masks", "ended_by_flatten", words() + [
        Layer("Flatten", "f", "e"), Layer("Dense", "out", "f", units=3, activation="softmax")],
         CLASSES, SPARSE),
    Case("masks", "ended_by_conv", words() + [
        Layer("Conv1D", "c", "e", filters=3, kernel_size=3, padding="same"),
        Layer("BatchNormalization", "bn", "c"),
        Layer("Dense", "out", "bn", units=3, activation="softmax")], TAGS, SPARSE, metrics=["accuracy"]),
    Case("masks", "added", two_texts() + [
        Layer("Add", "sum", "ea eb"), Layer("Dense", "out", "sum", units=3, activation="softmax")],
         TAGS, SPARSE, metrics=["accuracy"]),
    Case("masks", "added_to_none", two_texts(False) + [
        Layer("Add", "sum", "ea eb"), Layer("Dense", "out", "sum", units=3, activation="softmax")],
         TAGS, SPARSE, metrics=["accuracy"]),
    Case("masks", "side_by_side", two_texts() + [
        Layer("Concatenate", "both", "ea eb"),
        Layer("Dense", "out", "both", units=3, activation="softmax")], TAGS, SPARSE,
         metrics=["accuracy"]),
    Case("masks", "side_by_side_with_none", two_texts(False) + [
        Layer("Concatenate", "both", "ea eb"),
        Layer("Dense", "out", "both", units=3, activation="softmax")], TAGS, SPARSE,
         metrics=["accuracy"]),
    Case("masks", "one_behind_the_other", two_texts() + [
        Layer("Concatenate", "both", "ea eb", axis=1),
        Layer("GlobalAveragePooling1D", "mean", "both", keepdims=True), Layer("Flatten", "f", "mean"),
        Layer("Dense", "out", "f", units=3, activation="softmax")], CLASSES, SPARSE),
    Case("masks", "one_behind_another_without", two_texts(False) + [
        Layer("Concatenate", "both", "ea eb", axis=1),
        Layer("GlobalAveragePooling1D", "mean", "both"),
        Layer("Dense", "out", "mean", units=3, activation="softmax")], CLASSES, SPARSE),
    Case("masks", "one_of_two_outputs", words() + [
        Layer("Dense", "tags", "e", units=3, activation="softmax"),
        Layer("GlobalMaxPooling1D", "top", "e"), Layer("Dense", "kind", "top", units=1)],
         [TAGS, (("real",), (1,))], [SPARSE, "mse"], outputs=["tags", "kind"],
         metrics=[("tags", "accuracy"), ("kind", "mae")], val_rows=5),

    # ---- what layers add to the loss ----
    Case("activity", "dense_l2", mlp(activity_regularizer=Call("L2", l2=0.0625)), CLASSES, SPARSE,
         metrics=["accuracy"], val_rows=5),
    Case("activity", "of_layer", [
        Input("x", 4), Layer("Dense", "h", "x", units=4, activation="tanh"),
        Layer("ActivityRegularization", "a", "h", l1=0.03125, l2=0.125),
        Layer("Dense", "out", "a", units=3, activation="softmax")], CLASSES, SPARSE, val_rows=5),
    Case("activity", "conv_and_activation", [
        Input("x", 5, 5, 2),
        Layer("Conv2D", "c", "x", filters=3, kernel_size=3, activity_regularizer=Call("L1", l1=0.03125)),
        Layer("Activation", "a", "c", activation="tanh", activity_regularizer=Call("L2", l2=0.03125)),
        Layer("Flatten", "f", "a"), Layer("Dense", "out", "f", units=3, activation="softmax")],
         CLASSES, SPARSE, val_rows=5),
    Case("activity", "shared", [
        Input("a", 3), Input("b", 3),
        Layer("Dense", "twin", "a", units=4, activation="tanh", activity_regularizer=Call("L2", l2=0.0625)),
        Again("twin_b", "twin", "b"), Layer("Subtract", "apart", "twin twin_b"),
        Layer("Dense", "out", "apart", units=1, activation="sigmoid")], BITS, BINARY),
    Case("activity", "frozen", mlp(activity_regularizer=Call("L2", l2=0.0625), trainable=False),
         CLASSES, SPARSE, val_rows=5),
]
