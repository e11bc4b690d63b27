"""`snug summary` beside model.summary(), and the files of `snug init` in Keras."""
import json
import os
import subprocess
import zipfile

from common import VERSION, keras, np, predictions, relative

K = keras.layers
NETWORKS = "linear mlp cnn vgg resnet mobilenet unet".split()
MODELS = {}


def snug(folder, *words):
    done = subprocess.run([os.environ["SNUG"], *words], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError("snug %s: %d: %s" % (" ".join(words), done.returncode, done.stderr[-500:]))
    return done.stdout


# ---- summary ----

def model(function):
    MODELS[function.__name__.replace("_", " ")] = function
    return function


@model
def chain():
    return keras.Sequential([keras.Input((28, 28, 1)), K.Conv2D(8, 3, activation="relu"), K.BatchNormalization(),
                             K.MaxPooling2D(), K.Flatten(), K.Dropout(0.5), K.Dense(10, activation="softmax")])


@model
def several_inputs_and_a_shared_layer():
    a, b = keras.Input((8,), name="a"), keras.Input((8,), name="b")
    shared = K.Dense(4, name="shared")
    both = K.Add()([shared(a), shared(b)])
    return keras.Model([a, b], [K.Dense(2)(both), K.Dense(1)(K.Concatenate()([both, a]))])


@model
def residual_and_frozen():
    i = keras.Input((16, 16, 3))
    first = K.Conv2D(8, 3, padding="same")(i)
    x = K.Conv2D(8, 3, padding="same", name="frozen")(K.ReLU()(K.BatchNormalization()(first)))
    out = keras.Model(i, K.Dense(3)(K.GlobalAveragePooling2D()(K.add([x, first]) * 2.0 + 1.0)))
    out.get_layer("frozen").trainable = False
    return out


@model
def words():
    i = keras.Input((12,), dtype="int32")
    return keras.Model(i, K.Dense(2)(K.GlobalAveragePooling1D()(K.LayerNormalization()(K.Embedding(50, 8)(i)))))


def application(name, size=64):
    return lambda: getattr(keras.applications, name)(weights=None, input_shape=(size, size, 3), classes=10)


MODELS["MobileNetV2"] = application("MobileNetV2")
LARGE = {"ResNet50": application("ResNet50"), "EfficientNetB0": application("EfficientNetB0"),
         "DenseNet121": application("DenseNet121"), "InceptionV3": application("InceptionV3", 96),
         "NASNetMobile": application("NASNetMobile", 96), "Xception": application("Xception", 96)}


def inbound(model, layer):
    used = [n for nodes in model._nodes_by_depth.values() for n in nodes]
    return ["%s[%d][%d]" % (t._keras_history.operation.name, t._keras_history.node_index, t._keras_history.tensor_index)
            for node in layer._inbound_nodes if node in used for t in node.input_tensors]


def rows_of(model):
    """As keras.utils.summary_utils gathers them: name, class, shape, parameters, connected to."""
    is_chain = isinstance(model, keras.Sequential)
    for layer in model.layers if is_chain else model._operations:
        shape = layer._inbound_nodes[-1].output_tensors[0].shape
        yield (layer.name, type(layer).__name__, list(shape[1:]),
               layer.count_params() if hasattr(layer, "count_params") else 0,
               None if is_chain else ", ".join(inbound(model, layer)))


def elements(variables):
    return sum(int(np.prod(v.shape)) for v in variables)


def summary(report, name, folder, make, optimizer):
    keras.utils.clear_session()
    model = make()
    if optimizer:
        model.compile(optimizer, "mse")
        model.optimizer.build(model.trainable_variables)
    model.save(os.path.join(folder, "model.keras"))
    got = json.loads(snug(folder, "summary", "model.keras", "--batch-size", "4", "--json"))
    want = list(rows_of(model))
    is_chain = isinstance(model, keras.Sequential)
    rows = [(r["name"], r["class"], r["shape"], r["parameters"], None if is_chain else r["connected"])
            for r in got["layers"] if not (is_chain and r["class"] == "InputLayer")]
    different = [(a, b) for a, b in zip(rows, want) if a != b]
    report.check(name, "rows", len(different) + abs(len(rows) - len(want)), 0, str(different[:2]))
    counts = [got["totals"][k]["parameters"] for k in ("trainable", "frozen", "optimizer")]
    report.check(name, "totals", relative(counts, [elements(model.trainable_weights),
                                                   elements(model.non_trainable_weights),
                                                   elements(model.optimizer.variables) if optimizer else 0]), 0)


def open_sizes(report, name, folder):
    """Sizes that the file leaves open come from the command line."""
    keras.utils.clear_session()
    image, extra = keras.Input((None, None, 3)), keras.Input((5,))
    x = K.GlobalAveragePooling2D()(K.Conv2D(4, 3, name="conv")(image))
    keras.Model([image, extra], K.Dense(2)(K.Concatenate()([x, extra]))).save(os.path.join(folder, "open.keras"))
    got = json.loads(snug(folder, "summary", "open.keras", "--input-shape", "20,10,3;5", "--json"))
    shapes = {row["name"]: row["shape"] for row in got["layers"]}
    report.check(name, "open sizes", 0 if shapes["conv"] == [18, 8, 4] else 1, 0, str(shapes))
    report.check(name, "totals", relative([got["totals"]["weights"]["parameters"]], [112 + 20]), 0)


# ---- init ----

def init(report, name, folder, network):
    """Keras loads it, predicts the same, and can train it."""
    path = os.path.join(folder, network + ".keras")
    size = ["--input-shape", "16,16,3", "--classes", "4"]
    snug(folder, "init", network, *size, "-o", path, "--seed", "3", "--force")
    model = keras.saving.load_model(path)
    rng = np.random.default_rng(1)
    x = rng.integers(0, 256, (4, 16, 16, 3)).astype("uint8")
    np.save(os.path.join(folder, "x.npy"), x)
    snug(folder, "predict", path, "--data", "x.npy", "-o", "out.npy", "--force")
    want = predictions(model, x.astype("float32"))[0]
    report.check(name, "predictions", relative(np.load(os.path.join(folder, "out.npy")), want), 1e-5)
    labels = rng.integers(0, 4, (4,) + want.shape[1:-1]).astype("int32")
    model.run_eagerly = True
    history = model.fit(x.astype("float32"), labels, epochs=2, verbose=0).history
    report.check(name, "loss is finite", 0.0 if np.isfinite(history["loss"]).all() else 1.0, 0.0)
    report.check(name, "accuracy is followed", 0.0 if "accuracy" in history else 1.0, 0.0)


# ---- random augmentation in a model ----

def augmented():
    """Models by name: do their layers stand where images can be augmented as they are read?"""
    def steps():
        return [K.RandomFlip("horizontal"), K.RandomRotation(0.1, fill_mode="nearest"), K.RandomZoom(0.2, 0.3, seed=4),
                K.RandomTranslation((-0.1, 0.2), 0.1, fill_mode="constant", fill_value=3.0), K.RandomContrast(0.2),
                K.RandomBrightness(0.1)]

    def network(*head):
        x = i = keras.Input((16, 16, 3))
        for layer in head:
            x = layer(x)
        return keras.Model(i, K.Dense(2, activation="softmax")(K.Flatten()(K.Conv2D(4, 3)(x))))

    return {"first": (network(*steps(), K.Rescaling(1 / 255)), True),
            "nested": (network(keras.Sequential(steps(), name="data_augmentation"), K.Rescaling(1 / 255)), True),
            "sequential": (keras.Sequential([keras.Input((16, 16, 3)), keras.Sequential(steps()), K.Rescaling(1 / 255),
                                          K.Flatten(), K.Dense(2, activation="softmax")]), True),
            "behind rescaling": (network(K.Rescaling(1 / 255), K.RandomFlip(), K.RandomRotation(0.2)), True),
            "behind resizing": (network(K.Resizing(12, 12), K.RandomFlip(), K.Rescaling(1 / 255)), True),
            "resized and turned": (network(K.Resizing(12, 12), K.RandomRotation(0.1)), False),
            "color behind rescaling": (network(K.Rescaling(1 / 255), K.RandomBrightness(0.2, (0, 1))), False),
            "late": (network(K.Conv2D(3, 1), K.RandomFlip()), False)}


def augmentation(report, name, folder, model, trains):
    """Predictions agree; a fit on images trains or refuses by name, and what is saved is the same model in Keras."""
    model.compile("sgd", "sparse_categorical_crossentropy")
    path, after = (os.path.join(folder, file) for file in ("augmented.keras", "after.keras"))
    model.save(path)
    x = np.random.default_rng(1).uniform(0, 255, (6, 16, 16, 3)).astype("float32")
    np.save(os.path.join(folder, "x.npy"), x)
    snug(folder, "predict", path, "--data", "x.npy", "-o", "out.npy", "--force")
    report.check(name, "predictions", relative(np.load(os.path.join(folder, "out.npy")), predictions(model, x)[0]), 1e-5)
    for i, pixels in enumerate(x):
        os.makedirs(os.path.join(folder, "photos", str(i % 2)), exist_ok=True)
        keras.utils.save_img(os.path.join(folder, "photos", str(i % 2), "%d.png" % i), pixels, scale=False)
    words = ("fit", path, "--data", "photos", "--epochs", "2", "-o", after, "--force")
    if not trains:
        said = ""
        try:
            snug(folder, *words)
        except RuntimeError as error:
            said = str(error)
        report.check(name, "is refused by name", 0 if "augments at random behind" in said else 1, 0, said)
        return
    snug(folder, *words)
    back = keras.saving.load_model(after)
    was, now = (json.loads(zipfile.ZipFile(file).read("config.json"))["config"] for file in (path, after))
    report.check(name, "the layers are kept", 0 if was == now else 1, 0)
    moved = max(float(np.abs(a - b).max()) for a, b in zip(back.get_weights(), model.get_weights()))
    report.check(name, "weights were trained", 0 if moved > 0 else 1, 0)


def run(report, folder, everything):
    keras.config.set_floatx("float32")
    if VERSION >= (3, 15):  # summaries of older versions go through parts that have other names
        for name, make in {**MODELS, **(LARGE if everything else {})}.items():
            report.run("summary of " + name, summary, folder, make, "adam")
        report.run("summary, not compiled", summary, folder, MODELS["chain"], None)
        report.run("summary with momentum", summary, folder, MODELS["residual and frozen"],
                   keras.optimizers.SGD(0.1, momentum=0.9))
    report.run("summary with open sizes", open_sizes, folder)
    for network in NETWORKS:
        report.run("init " + network, init, folder, network)
    for name, (made, trains) in augmented().items():
        report.run("augmentation, " + name, augmentation, folder, made, trains)
