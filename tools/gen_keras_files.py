#!/usr/bin/env python3
"""Write the files under tests/data/keras that the reader of archives and HDF5 is tested with.

Usage: gen_keras_files.py keras FOLDER      one model, saved by the Keras that runs this
       gen_keras_files.py variants FOLDER   the same weights in every way that h5py keeps them
       gen_keras_files.py configs FOLDER    config.json of models with many kinds of layers

Beside each file stands NAME.txt, a line per dataset: path, dtype, shape, and the CRC-32 of the
elements as little-endian numbers (bfloat16 as its two bytes).  With tensorflow as the backend.
"""
import os
import sys
import zipfile
import zlib

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import h5py
import numpy as np


def line(path, dataset):
    values = np.asarray(dataset[()])
    dtype = "bfloat16" if values.dtype.kind == "V" else values.dtype.name
    if values.dtype.kind != "V":
        values = values.astype(values.dtype.newbyteorder("<"))
    shape = ",".join(map(str, values.shape)) or "-"
    return f"{path} {dtype} {shape} {zlib.crc32(values.tobytes())}\n"


def describe(weights, out):
    lines = []

    def visit(path, item):
        if isinstance(item, h5py.Dataset):
            lines.append(line(path, item))

    with h5py.File(weights, "r") as file:
        file.visititems(visit)
    with open(out, "w") as text:
        text.writelines(sorted(lines))


def keras_file(folder):
    import keras

    keras.utils.set_random_seed(7)
    model = keras.Sequential(
        [keras.layers.Input((3,)), keras.layers.Dense(2, name="first"), keras.layers.BatchNormalization()]
    )
    model.compile("adam", "mse")
    model.fit(np.ones((4, 3), "float32"), np.zeros((4, 2), "float32"), verbose=0)
    name = os.path.join(folder, f"keras-{keras.__version__}")
    model.save(name + ".keras")
    with zipfile.ZipFile(name + ".keras") as archive, archive.open("model.weights.h5") as weights:
        describe(weights, name + ".txt")


def fill(group, kind):
    """Datasets of every dtype; kept as `kind` says."""
    base = np.arange(105).reshape(7, 5, 3) * 37 % 101 - 40.25
    for dtype in ("f4", "f8", "f2", "i1", "i4", "i8", "u1", ">f4", ">f8", ">i8", "?"):
        name = dtype.replace(">", "big_").replace("?", "bool")
        values = np.abs(base).astype(dtype) if dtype == "u1" else base.astype(dtype)
        values = base > 3 if dtype == "?" else values
        kind(group, name, values)
    half = group.create_dataset("bfloat16", data=np.arange(0x3F80, 0x3F90, dtype="u2").view("V2"))
    half.attrs["dtype"] = "bfloat16"
    group.create_dataset("scalar", data=np.float32(2.5))
    group.create_dataset("empty", data=np.zeros((0, 3), "f4"))


def contiguous(group, name, values):
    group.create_dataset(name, data=values)


def compact(group, name, values):
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_layout(h5py.h5d.COMPACT)
    data = np.ascontiguousarray(values)
    type_id = h5py.h5t.py_create(data.dtype, logical=True)
    space = h5py.h5s.create_simple(data.shape)
    h5py.h5d.create(group.id, name.encode(), type_id, space, dcpl).write(h5py.h5s.ALL, h5py.h5s.ALL, data)


def chunked(**options):
    def make(group, name, values):
        group.create_dataset(name, data=values, **options)

    return make


VARIANTS = {
    "earliest": ("earliest", contiguous),
    "latest": ("latest", contiguous),
    "compact": ("earliest", compact),
    "chunked": ("earliest", chunked(chunks=(3, 2, 2))),
    "gzip": ("earliest", chunked(chunks=(3, 5, 2), compression="gzip", shuffle=True, fletcher32=True)),
    "latest-chunked": ("latest", chunked(chunks=(3, 2, 2))),
    "latest-gzip": ("latest", chunked(chunks=(2, 5, 2), compression="gzip", shuffle=True)),
    "latest-single": ("latest", chunked(chunks=(7, 5, 3), compression="gzip")),
    "v108-chunked": ("v108", chunked(chunks=(4, 4, 3))),
}


def fill_many(file):
    """So many links and attributes that they need trees and heaps."""
    for i in range(40):
        file.create_group(f"many/a group with a name {i}").attrs["name"] = f"number {i}"
    for i in range(12):
        file.attrs[f"list{i}"] = np.array([f"{i}a".encode(), f"{i}b".encode()])


def write_variant(path, name, libver, kind):
    bounds = libver if libver in ("earliest", "latest") else ("earliest", libver)
    with h5py.File(path, "w", libver=bounds) as file:
        file.create_group("vars").attrs["name"] = "a model"
        fill(file.create_group("values"), kind)
        if kind is contiguous:
            fill_many(file)
        file.attrs["layer_names"] = np.array([b"one", b"three"])
        chunks = (1,) if name.endswith("chunked") else (1300,)  # pages, many nodes
        file.create_dataset("large", data=np.arange(1300, dtype="u1"), chunks=chunks)
        file["soft"] = h5py.SoftLink("/vars")
        file["elsewhere"] = h5py.ExternalLink("other.h5", "/")
        file.create_dataset("outside", shape=(4,), dtype="u1", external=[("passwd", 0, 4)])


def variants(folder):
    for name, (libver, kind) in VARIANTS.items():
        weights = os.path.join(folder, "weights.h5")
        write_variant(weights, name, libver, kind)
        describe_known(weights, os.path.join(folder, name + ".txt"))
        with zipfile.ZipFile(os.path.join(folder, name + ".keras"), "w", zipfile.ZIP_DEFLATED) as archive:
            for member, text in (("metadata.json", "{}"), ("config.json", "{}")):
                archive.writestr(zipfile.ZipInfo(member), text, zipfile.ZIP_DEFLATED)
            with open(weights, "rb") as file:
                archive.writestr(zipfile.ZipInfo("model.weights.h5"), file.read(), zipfile.ZIP_DEFLATED, 9)
        os.remove(weights)


def describe_known(weights, out):
    """As describe, without what is refused."""
    lines = []
    with h5py.File(weights, "r") as file:
        for name in file["values"]:
            lines.append(line("values/" + name, file["values/" + name]))
        lines.append(line("large", file["large"]))
    with open(out, "w") as text:
        text.writelines(lines)


def image_model(keras):
    L = keras.layers
    x = image = L.Input((16, 16, 3), name="image")
    x = L.Conv2D(4, 3, padding="same", kernel_regularizer="l2", activation="relu")(x)
    x = L.BatchNormalization(momentum=0.9)(x)
    y = L.SeparableConv2D(4, 3, padding="same", use_bias=False)(x)
    x = L.Add()([x, y]) * 0.5 + 1.0
    x = L.MaxPooling2D(2)(L.LeakyReLU()(x))
    x = L.Conv2DTranspose(4, 3, strides=2, padding="same")(L.ZeroPadding2D(1)(x))
    x = L.GroupNormalization(2)(L.DepthwiseConv2D(3, activation="swish")(x))
    x = L.Concatenate()([x, L.PReLU()(x)])
    x = L.Dropout(0.2, seed=3)(L.GlobalAveragePooling2D()(x))
    model = keras.Model(image, L.Dense(10, activation="softmax", kernel_constraint="max_norm")(x))
    schedule = keras.optimizers.schedules.CosineDecay(0.1, 100, warmup_target=0.2, warmup_steps=5)
    optimizer = keras.optimizers.SGD(schedule, momentum=0.9, nesterov=True, clipnorm=1.0, use_ema=True)
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy", "sparse_top_k_categorical_accuracy"])
    return model


def two_way_model(keras):
    L = keras.layers
    words, numbers = L.Input((7,), dtype="int32", name="words"), L.Input((3,), name="numbers")
    shared = L.Dense(4, activation="gelu", name="shared")
    inner_in = L.Input((4,))
    inner = keras.Model(inner_in, L.LayerNormalization()(L.Dense(4)(inner_in)), name="inner")
    x = L.Embedding(20, 4, mask_zero=True)(words)
    x = L.Conv1D(4, 3, dilation_rate=2, padding="causal")(x)
    x = L.GlobalMaxPooling1D()(L.SpatialDropout1D(0.1)(x))
    y = inner(shared(L.Reshape((3,))(L.Rescaling(0.5)(numbers))))
    z = L.Multiply()([inner(shared(x[:, 1:4])), y])
    first = L.Dense(1, activation="sigmoid", name="first")(z)
    second = L.Dense(2, name="second")(L.Subtract()([x, y]))
    model = keras.Model({"words": words, "numbers": numbers}, {"first": first, "second": second})
    model.compile(
        keras.optimizers.AdamW(1e-3, weight_decay=0.01, gradient_accumulation_steps=2),
        {"first": keras.losses.BinaryCrossentropy(label_smoothing=0.1), "second": "huber"},
        loss_weights={"first": 1.0, "second": 0.3},
        metrics={"first": ["accuracy", keras.metrics.AUC()], "second": ["mae"]},
    )
    return model


def series_model(keras):
    L = keras.layers
    layers = [L.Input((12, 3)), L.UpSampling1D(2), L.AveragePooling1D(2), L.Cropping1D(1), L.Permute((2, 1))]
    layers += [L.Flatten(), L.RepeatVector(2), L.Activation("tanh"), L.GaussianNoise(0.1), L.ActivityRegularization(0.1)]
    layers += [L.UnitNormalization(), L.Softmax(), keras.Sequential([L.Dense(3), L.ELU(), L.ReLU(6.0)]), L.Flatten()]
    model = keras.Sequential(layers + [L.Dense(2, kernel_initializer=keras.initializers.VarianceScaling(2.0))])
    model.compile("nadam", keras.losses.MeanSquaredError(), weighted_metrics=["mse"])
    return model


def configs(folder):
    import keras

    for make in (image_model, two_way_model, series_model):
        path = os.path.join(folder, "model.keras")
        make(keras).save(path)
        with zipfile.ZipFile(path) as archive, open(os.path.join(folder, make.__name__ + ".json"), "wb") as out:
            out.write(archive.read("config.json"))
        os.remove(path)


if __name__ == "__main__":
    {"keras": keras_file, "variants": variants, "configs": configs}[sys.argv[1]](sys.argv[2])
