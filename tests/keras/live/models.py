"""Small models in the manner of published Keras examples, each with what is expected of it: it works (predictions, a step of
SGD, the round trip: see layers.py), or is refused with a message that holds these words."""
from common import keras, np, snug_process
from layers import ROWS, one_step, randomize, says_no

K, O = keras.layers, keras.ops
WORKS, REFUSED = {}, {}


def works(function):
    WORKS[function.__name__.replace("_", " ")] = function
    return function


def refused(*says):
    def add(function):
        REFUSED[function.__name__.replace("_", " ")] = (function, says)
        return function
    return add


def chain(shape, *layers, dtype=None):
    return keras.Sequential([keras.Input(shape, dtype=dtype), *layers])


def block(x, filters, kernel=3, strides=1):
    x = K.Conv2D(filters, kernel, strides=strides, padding="same", use_bias=False)(x)
    return K.Activation("relu")(K.BatchNormalization()(x))


# ---- structured data ----

@works
def imbalanced_classification():
    return chain((29,), K.Dense(16, activation="relu"), K.Dense(16, activation="relu"), K.Dropout(0.0),
                 K.Dense(1, activation="sigmoid"))


@works
def logistic_regression():
    return chain((8,), K.Normalization(mean=[0.5] * 8, variance=[2.0] * 8), K.Dense(3, activation="softmax"))


@works
def wide_and_deep():
    a, b = keras.Input((5,), name="wide"), keras.Input((7,), name="deep")
    deep = K.Dense(6, activation="relu")(K.Dense(8, activation="relu")(b))
    return keras.Model([a, b], K.Dense(1, activation="sigmoid")(K.concatenate([a, deep])))


@works
def deep_and_cross():
    x0 = x = keras.Input((6,))
    for _ in range(2):
        x = x0 * K.Dense(6)(x) + x
    return keras.Model(x0, K.Dense(1)(K.Concatenate()([x, K.Dense(4, activation="relu")(x0)])))


@works
def gated_residual_network():
    i = keras.Input((6,))
    x = K.Dense(6)(K.Dense(6, activation="elu")(i))
    x = K.Dense(6)(x) * K.Dense(6, activation="sigmoid")(x)
    return keras.Model(i, K.Dense(1)(K.LayerNormalization()(i + x)))


@works
def variable_selection():
    i = keras.Input((4, 5))
    weights = O.expand_dims(O.softmax(K.Dense(4)(K.Flatten()(i)), axis=-1), -1)
    return keras.Model(i, K.Dense(1)(O.sum(weights * K.Dense(6, activation="elu")(i), axis=1)))


@works
def collaborative_filtering():
    u, m = keras.Input((1,), dtype="int32"), keras.Input((1,), dtype="int32")
    user, movie = K.Embedding(7, 4, embeddings_regularizer="l2")(u), K.Embedding(7, 4)(m)
    match = K.Flatten()(K.Dot(axes=2)([user, movie]))
    return keras.Model([u, m], O.sigmoid(match + K.Flatten()(K.Embedding(7, 1)(u))))


@works
def memory_efficient_embedding():
    i = keras.Input((3,), dtype="int32")
    x = K.Embedding(4, 5)(i // 2) * K.Embedding(2, 5)(i % 2)
    return keras.Model(i, K.Dense(1)(K.GlobalAveragePooling1D()(x)))


@works
def entity_embeddings():
    a, b = keras.Input((), dtype="int32"), keras.Input((4,))
    return keras.Model([a, b], K.Dense(1)(K.Concatenate()([K.Embedding(7, 3)(a), b])))


@works
def mixture_of_experts():
    i = keras.Input((6,))
    experts = O.stack([K.Dense(4, activation="relu")(i) for _ in range(3)], axis=1)
    gate = O.expand_dims(K.Dense(3, activation="softmax")(i), -1)
    return keras.Model(i, K.Dense(2)(O.sum(gate * experts, axis=1)))


@works
def self_normalizing_network():
    return chain((6,), K.Dense(8, activation="selu", kernel_initializer="lecun_normal"), K.AlphaDropout(0.0), K.Dense(2))


# ---- timeseries ----

@works
def timeseries_classification_from_scratch():
    i = x = keras.Input((16, 1))
    for _ in range(2):
        x = K.ReLU()(K.BatchNormalization()(K.Conv1D(8, 3, padding="same")(x)))
    return keras.Model(i, K.Dense(2, activation="softmax")(K.GlobalAveragePooling1D()(x)))


@works
def timeseries_anomaly_detection():
    return chain((16, 1), K.Conv1D(6, 7, padding="same", strides=2, activation="relu"), K.Dropout(0.0),
                 K.Conv1D(4, 7, padding="same", strides=2, activation="relu"),
                 K.Conv1DTranspose(4, 7, padding="same", strides=2, activation="relu"),
                 K.Conv1DTranspose(1, 7, padding="same", strides=2))


@works
def wavenet():
    i = x = keras.Input((12, 3))
    for rate in (1, 2):
        both = K.Conv1D(4, 2, padding="causal", dilation_rate=rate, activation="tanh")(x) * K.Conv1D(
            4, 2, padding="causal", dilation_rate=rate, activation="sigmoid")(x)
        x = K.Conv1D(3, 1)(both) + x
    return keras.Model(i, K.Dense(1)(x))


@works
def eeg_classification():
    return chain((16, 2), K.Conv1D(4, 3, strides=2, padding="same", activation="relu"), K.BatchNormalization(),
                 K.LeakyReLU(0.2), K.SeparableConv1D(4, 3), K.GlobalMaxPooling1D(), K.Dense(2))


@works
def residual_forecast():
    i = keras.Input((8, 2))
    return keras.Model(i, i[:, -1:, :] + K.Reshape((1, 2))(K.Dense(2)(K.Flatten()(O.diff(i, axis=1)))))


@works
def moving_statistics():
    i = keras.Input((8, 3))
    x = O.concatenate([O.mean(i, axis=1), O.std(i, axis=1), O.max(i, axis=1), O.min(i, axis=1)], axis=-1)
    return keras.Model(i, K.Dense(2)(x))


# ---- text ----

@works
def bag_of_embeddings():
    return chain((6,), K.Embedding(7, 4), K.GlobalAveragePooling1D(), K.Dense(1, activation="sigmoid"), dtype="int32")


@works
def text_classification_from_scratch():
    return chain((12,), K.Embedding(7, 5), K.Dropout(0.0), K.Conv1D(6, 5, strides=2, activation="relu"),
                 K.GlobalMaxPooling1D(), K.Dense(4, activation="relu"), K.Dense(1, activation="sigmoid"), dtype="int32")


@works
def text_with_padding():
    return chain((6,), K.Embedding(7, 4, mask_zero=True), K.GlobalAveragePooling1D(), K.Dense(2), dtype="int32")


@works
def attention_by_hand():
    i = keras.Input((5, 6))
    q, k, v = (K.Dense(4)(i) for _ in range(3))
    scores = O.matmul(q, O.transpose(k, (0, 2, 1))) / np.sqrt(4.0)
    causal = O.where(np.tri(5) > 0, scores, -1e9)
    return keras.Model(i, K.Dense(2)(O.matmul(O.softmax(causal, axis=-1), v)))


@works
def heads_by_einsum():
    i = keras.Input((5, 6))
    q, k, v = (O.reshape(K.Dense(6)(i), (-1, 5, 2, 3)) for _ in range(3))
    weights = O.softmax(O.einsum("bqhd,bkhd->bhqk", q, k), axis=-1)
    return keras.Model(i, K.Dense(2)(O.reshape(O.einsum("bhqk,bkhd->bqhd", weights, v), (-1, 5, 6))))


@works
def position_embedding():
    i = keras.Input((6,), dtype="int32")
    places = np.stack([np.sin(np.arange(6) / 10 ** (k / 2)) for k in range(4)], axis=-1)
    return keras.Model(i, K.Dense(2)(K.Embedding(7, 4)(i) + places))


# ---- vision ----

@works
def mnist_convnet():
    return chain((12, 12, 1), K.Conv2D(4, 3, activation="relu"), K.MaxPooling2D(2), K.Conv2D(6, 3, activation="relu"),
                 K.MaxPooling2D(2), K.Flatten(), K.Dropout(0.0), K.Dense(10, activation="softmax"))


@works
def transfer_learning():
    i = keras.Input((8, 8, 3))
    x = i + np.array([[[[-103.9, -116.8, -123.7]]]]) / 128.0
    base = keras.Sequential([keras.Input((8, 8, 3)), K.Conv2D(4, 3), K.BatchNormalization(), K.ReLU()], name="base")
    base.trainable = False
    return keras.Model(i, K.Dense(2)(K.GlobalAveragePooling2D()(base(x, training=False))))


@works
def fine_tuning():
    """Keras's fit trains through a call with training=False; trainable alone keeps normalization as it is."""
    i = keras.Input((8, 8, 3))
    base = keras.Sequential([keras.Input((8, 8, 3)), K.Conv2D(4, 3), K.BatchNormalization(), K.ReLU()], name="base")
    x = K.BatchNormalization()(base(i, training=False), training=False)
    return keras.Model(i, K.Dense(2)(K.GlobalAveragePooling2D()(x)))


@works
def preprocess_torch():
    i = keras.Input((8, 8, 3))
    x = (i / 255.0 - np.array([0.485, 0.456, 0.406])) / np.array([0.229, 0.224, 0.225])
    return keras.Model(i, K.Dense(2)(K.Flatten()(K.Conv2D(3, 3, strides=2)(x))))


@works
def preprocess_caffe():
    i = keras.Input((6, 6, 3))
    x = i[..., ::-1] - np.array([0.4, 0.5, 0.6])
    return keras.Model(i, K.Dense(2)(K.Flatten()(K.Conv2D(3, 3)(x))))


@works
def residual_network():
    i = keras.Input((8, 8, 3))
    x = block(i, 4)
    y = K.BatchNormalization()(K.Conv2D(4, 3, padding="same")(block(x, 4)))
    return keras.Model(i, K.Dense(2)(K.GlobalAveragePooling2D()(K.ReLU()(x + y))))


@works
def xception_blocks():
    i = keras.Input((8, 8, 3))
    x = block(i, 4, strides=2)
    y = K.BatchNormalization()(K.SeparableConv2D(6, 3, padding="same")(K.Activation("relu")(x)))
    y = K.MaxPooling2D(3, strides=2, padding="same")(y)
    return keras.Model(i, K.Dense(1)(K.GlobalAveragePooling2D()(K.add([y, K.Conv2D(6, 1, strides=2, padding="same")(x)]))))


@works
def mobile_inverted_residual():
    i = x = keras.Input((8, 8, 4))
    x = K.ReLU(6.0)(K.BatchNormalization()(K.Conv2D(8, 1, use_bias=False)(x)))
    x = K.ReLU(6.0)(K.BatchNormalization()(K.DepthwiseConv2D(3, padding="same", use_bias=False)(x)))
    return keras.Model(i, K.Dense(2)(K.Flatten()(K.Add()([i, K.BatchNormalization()(K.Conv2D(4, 1)(x))]))))


@works
def convmixer():
    i = keras.Input((8, 8, 3))
    x0 = K.BatchNormalization()(K.Activation("gelu")(K.Conv2D(6, 2, strides=2)(i)))
    x = K.Add()([K.BatchNormalization()(K.Activation("gelu")(K.DepthwiseConv2D(3, padding="same")(x0))), x0])
    return keras.Model(i, K.Dense(2)(K.GlobalAvgPool2D()(K.Conv2D(6, 1, activation="gelu")(x))))


@works
def u_net():
    i = keras.Input((8, 8, 3))
    down = block(i, 4)
    x = block(K.MaxPooling2D(2)(down), 6)
    x = K.Concatenate()([K.Conv2DTranspose(4, 3, strides=2, padding="same")(x), down])
    return keras.Model(i, K.Conv2D(2, 1, activation="softmax")(block(x, 4)))


@works
def oxford_pets_segmentation():
    i = x = keras.Input((8, 8, 3))
    x = before = block(x, 4, strides=2)
    x = K.BatchNormalization()(K.Conv2DTranspose(4, 3, padding="same")(K.Activation("relu")(x)))
    x = K.add([K.UpSampling2D(2)(x), K.Conv2D(4, 1, padding="same")(K.UpSampling2D(2)(before))])
    return keras.Model(i, K.Conv2D(3, 3, activation="softmax", padding="same")(x))


@works
def dilated_spatial_pyramid():
    i = keras.Input((8, 8, 4))
    pooled = K.UpSampling2D((8, 8), interpolation="bilinear")(block(K.AveragePooling2D((8, 8))(i), 3, 1))
    rates = [K.Conv2D(3, 3, padding="same", dilation_rate=r, use_bias=False)(i) for r in (1, 2)]
    return keras.Model(i, K.Conv2D(2, 1)(K.Concatenate()([pooled, *rates])))


@works
def autoencoder():
    return chain((8, 8, 1), K.Conv2D(4, 3, activation="relu", padding="same"), K.MaxPooling2D(2, padding="same"),
                 K.Conv2DTranspose(4, 3, strides=2, activation="relu", padding="same"),
                 K.Conv2D(1, 3, activation="sigmoid", padding="same"))


@works
def sub_pixel_super_resolution():
    i = keras.Input((4, 4, 1))
    x = K.Conv2D(4, 3, padding="same", activation="relu")(i)
    x = O.transpose(O.reshape(K.Conv2D(4, 3, padding="same")(x), (-1, 4, 4, 2, 2)), (0, 1, 3, 2, 4))
    return keras.Model(i, O.reshape(x, (-1, 8, 8, 1)))


@works
def squeeze_and_excite():
    i = keras.Input((6, 6, 4))
    s = K.Dense(4, activation="sigmoid")(K.Dense(2, activation="relu")(K.GlobalAveragePooling2D(keepdims=True)(i)))
    return keras.Model(i, K.Dense(2)(K.Flatten()(K.Conv2D(2, 3)(i * s))))


@works
def siamese_network():
    a, b = keras.Input((6,)), keras.Input((6,))
    twin = keras.Sequential([keras.Input((6,)), K.Dense(5, activation="tanh"), K.BatchNormalization()])
    distance = O.sqrt(O.maximum(O.sum(O.square(twin(a) - twin(b)), axis=1, keepdims=True), 1e-7))
    return keras.Model([a, b], K.Dense(1, activation="sigmoid")(distance))


@works
def metric_embedding():
    i = keras.Input((8, 8, 3))
    x = K.Dense(4)(K.GlobalAveragePooling2D()(block(i, 4)))
    return keras.Model(i, K.UnitNormalization()(x))


@works
def patches_by_convolution():
    i = keras.Input((8, 8, 3))
    x = O.reshape(K.Conv2D(6, 4, strides=4)(i), (-1, 4, 6)) + np.linspace(0, 1, 24).reshape(1, 4, 6)
    return keras.Model(i, K.Dense(2)(K.GlobalAveragePooling1D()(K.LayerNormalization()(x))))


@works
def mlp_mixer():
    i = keras.Input((4, 6))
    x = O.transpose(K.Dense(4, activation="gelu")(O.transpose(K.LayerNormalization()(i), (0, 2, 1))), (0, 2, 1)) + i
    return keras.Model(i, K.Dense(2)(O.mean(K.Dense(6, activation="gelu")(K.LayerNormalization()(x)) + x, axis=1)))


@works
def gated_mlp():
    i = keras.Input((4, 6))
    u, v = O.split(K.Dense(8, activation="gelu")(K.LayerNormalization()(i)), 2, axis=-1)
    v = O.transpose(K.Dense(4, bias_initializer="ones")(O.transpose(v, (0, 2, 1))), (0, 2, 1))
    return keras.Model(i, K.Dense(6)(u * v) + i)


@works
def external_attention():
    i = keras.Input((5, 6))
    attention = O.softmax(K.Dense(4)(i), axis=1)
    return keras.Model(i, K.Dense(6)(attention / (1e-9 + O.sum(attention, axis=-1, keepdims=True))))


@works
def keypoint_detection():
    return chain((8, 8, 3), K.Rescaling(1 / 127.5, offset=-1), K.Conv2D(4, 3, activation="relu"), K.Dropout(0.0),
                 K.SeparableConv2D(3, 5, strides=1, activation="relu"), K.SeparableConv2D(2, 2, activation="sigmoid"))


@works
def pointnet():
    i = keras.Input((8, 3))
    t = K.Dense(9, bias_initializer="zeros")(K.GlobalMaxPooling1D()(K.Conv1D(6, 1, activation="relu")(i)))
    x = K.Dot(axes=(2, 1))([i, K.Reshape((3, 3))(t)])
    return keras.Model(i, K.Dense(2)(K.GlobalMaxPooling1D()(K.BatchNormalization()(K.Conv1D(6, 1)(x)))))


@works
def pointnet_segmentation():
    i = keras.Input((8, 3))
    x = K.Conv1D(4, 1, activation="relu")(i)
    whole = O.tile(O.max(x, axis=1, keepdims=True), (1, 8, 1))
    return keras.Model(i, K.Conv1D(2, 1)(O.concatenate([x, whole], axis=-1)))


@works
def multiple_instance_learning():
    i = keras.Input((5, 6))
    x = K.Dense(6, activation="relu")(i)
    weights = O.softmax(O.squeeze(K.Dense(1)(O.tanh(K.Dense(3)(x)) * O.sigmoid(K.Dense(3)(x))), -1), axis=-1)
    return keras.Model(i, K.Dense(2)(O.einsum("bn,bnd->bd", weights, x)))


# ---- generative, others ----

@works
def gan_discriminator():
    return chain((8, 8, 3), K.Conv2D(4, 4, strides=2, padding="same"), K.LeakyReLU(0.2), K.Conv2D(6, 4, strides=2, padding="same"),
                 K.LeakyReLU(0.2), K.Flatten(), K.Dropout(0.0), K.Dense(1, activation="sigmoid"))


@works
def gan_generator():
    return chain((6,), K.Dense(2 * 2 * 4), K.Reshape((2, 2, 4)), K.Conv2DTranspose(4, 4, strides=2, padding="same"),
                 K.LeakyReLU(0.2), K.Conv2D(3, 5, padding="same", activation="tanh"))


@works
def cycle_gan_block():
    i = keras.Input((6, 6, 3))
    x = O.pad(i, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="reflect")
    return keras.Model(i, K.Activation("relu")(K.GroupNormalization(-1)(K.Conv2D(3, 3, use_bias=False)(x))) + i)


@works
def antirectifier():
    i = keras.Input((6,))
    x = i - O.mean(i, axis=-1, keepdims=True)
    return keras.Model(i, K.Dense(2)(O.concatenate([O.relu(x), O.relu(-x)], axis=-1)))


@works
def mixture_density():
    i = keras.Input((4,))
    h = K.Dense(6, activation="tanh")(i)
    return keras.Model(i, O.concatenate([O.softmax(K.Dense(3)(h)), K.Dense(3)(h), O.elu(K.Dense(3)(h)) + 1.0], axis=-1))


@works
def two_heads():
    i = keras.Input((6,))
    h = K.Dense(5, activation="relu")(i)
    return keras.Model(i, [K.Dense(3, activation="softmax", name="kind")(h), K.Dense(1, name="price")(h)])


# ---- what Snug has not ----

@refused("layer 'lstm' (LSTM)", "recurrent layers are not supported yet")
def character_generation():
    return chain((5, 4), K.LSTM(3, name="lstm"), K.Dense(4))


@refused("layer 'gru' (GRU)", "recurrent layers are not supported yet")
def video_classification():
    return chain((5, 4), K.GRU(3, name="gru"), K.Dense(4))


@refused("(Bidirectional)", "recurrent layers are not supported yet")
def bidirectional_imdb():
    return chain((6,), K.Embedding(7, 4), K.Bidirectional(K.LSTM(3)), K.Dense(1), dtype="int32")


@refused("(MultiHeadAttention)", "attention is not supported yet")
def vision_transformer():
    i = keras.Input((4, 6))
    return keras.Model(i, K.MultiHeadAttention(2, 3)(i, i))


@refused("layer 'cube' (Conv3D)", "layers of volumes are not supported yet")
def ct_scans():
    return chain((4, 4, 4, 1), K.Conv3D(2, 3, name="cube"), K.Flatten(), K.Dense(1))


@refused("(ConvLSTM2D)", "recurrent layers are not supported yet")
def next_frame():
    return chain((3, 4, 4, 1), K.ConvLSTM2D(2, 3))


@refused("(Lambda)", "what a Lambda computes is Python code")
def euclidean_lambda():
    return chain((4,), K.Dense(3), K.Lambda(lambda x: x * 2), K.Dense(1))


def data_of(i, rng):
    shape = (ROWS,) + tuple(i.shape[1:])
    return rng.integers(0, 7, shape).astype("int32") if "int" in i.dtype else rng.normal(0, 1, shape)


def example(report, name, snug, folder, make):
    keras.utils.clear_session()
    rng = np.random.default_rng(len(name))
    model = make()
    randomize(model, rng)
    losses = ["mse"] * len(model.outputs) if len(model.outputs) > 1 else "mse"
    bilinear = any(getattr(l, "interpolation", "") == "bilinear" for l in model.layers)  # TensorFlow: in float32
    one_step(report, name, snug, folder, model, [data_of(i, rng) for i in model.inputs], rng, loss=losses,
             precision=1e-6 if bilinear else 1e-9)


def no(report, name, snug, folder, make, says):
    keras.utils.clear_session()
    model = make()
    for word in says:
        says_no(report, name, snug, folder, model, word)


def run(report, folder, everything):
    keras.config.set_floatx("float64")
    snug = snug_process(folder)
    for name, make in WORKS.items():
        report.run(name, example, snug, folder, make)
    for name, (make, says) in REFUSED.items():
        report.run(name, no, snug, folder, make, says)
    snug.close()
