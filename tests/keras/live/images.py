"""Images beside Keras and Pillow: decoded pixels, resizing, augmentation with the same random numbers, the order and the
split of a folder.

Bounds.  Decoded pixels are the same to the bit.  Resizing: values are 0 to 255 in float32 and each is a sum of at most
four products, so 2e-4 is a few of the last bits; `area` divides weights that
are differences of coordinates (4e-6 off at 50) by the scale (0.3 where it enlarges): 4e-3.  Pillow rounds each of two passes to a byte:
1 in 255.  Augmentation: sines, means and coordinates differ in their last bits, and a pixel of a picture changes by
up to 255 from one to the next, so a coordinate of 64 that is off by 4e-6 moves a value by 1e-3; with `nearest` a pixel on the border between
two may go to the other one, so those are counted.
"""
import os
import subprocess

import common
from common import Snug, keras, np

import tensorflow as tf
from PIL import Image

K = keras.layers
AS_KERAS, ACCURATE, FAST = range(3)


class Images(Snug):
    """A process of image_driver.c."""

    def __init__(self, folder):
        self.folder = folder
        self.process = subprocess.Popen([os.environ["SNUG_IMAGE_DRIVER"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1)

    def image(self, path, height, width, channels=3, interpolation="bilinear", aspect="stretch", edge=0, decode=0):
        out = os.path.join(self.folder, "out.raw")
        self.ask("load", path, out, height, width, channels, interpolation, aspect, edge, decode)
        return np.fromfile(out, "float32").reshape(height, width, channels)

    def augmented(self, image, step, units, shape=None):
        paths = [os.path.join(self.folder, n) for n in ("in.raw", "out.raw")]
        np.ascontiguousarray(image, "float32").tofile(paths[0])
        self.ask("augment", *paths, *image.shape, step, *units)
        return np.fromfile(paths[1], "float32").reshape(shape or image.shape)

    def listed(self, folder, labelled, seed, split, subset):
        lines = self.ask("list", folder, int(labelled), "-" if seed is None else seed, split, subset)
        return [(p, int(label)) for p, label in (line.split("\t") for line in lines)]


def picture(height, width, channels=3, seed=0):
    """Something like a photograph: smooth, with edges and a little noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype("float64")
    planes = []
    for c in range(channels):
        a = 110 + 70 * np.sin(x / (9 + 3 * c) + y / 17) + 50 * np.cos(y / (7 + c) - x / 31)
        a += 60 * ((x // 23 + y // 19 + c) % 2)
        planes.append(a + rng.normal(0, 6, (height, width)))
    return np.clip(np.stack(planes, -1), 0, 255).astype("uint8")


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data.numpy() if hasattr(data, "numpy") else data)
    return path


def as_keras(path, channels=3):
    """What image_dataset_from_directory decodes."""
    return tf.io.decode_image(tf.io.read_file(path), channels=channels, expand_animations=False)


# ---- decoding ----

def jpegs(everything):
    for size in [(77, 131), (240, 320)] + ([(1, 1), (17, 16), (600, 800), (8, 1000)] if everything else []):
        for quality in (30, 92, 100):
            for down in (True, False):
                for progressive in ("", "progressive"):
                    yield size, quality, down, progressive


def decoded(report, name, snug, path, channels=3, pillow=None):
    want = as_keras(path, channels).numpy()
    got = snug.image(path, *want.shape[:2], channels)
    report.check(name, "decoded pixels, TensorFlow's", np.abs(got - want).max(), 0.0)
    if pillow:
        with Image.open(path) as other:
            other.draft(pillow, other.size)  # gray is what the file has, not mixed from colors
            other = np.asarray(other.convert(pillow)).reshape(want.shape)
        got = snug.image(path, *want.shape[:2], channels, decode=ACCURATE)
        report.check(name, "decoded pixels, Pillow's", np.abs(got - other).max(), 0.0)


def decode_jpeg(report, name, snug, folder, size, quality, down, progressive):
    path = write(folder, "a.jpg", tf.io.encode_jpeg(picture(*size), quality=quality, chroma_downsampling=down,
                                                    progressive=bool(progressive)))
    decoded(report, name, snug, path, 3, "RGB")
    decoded(report, name, snug, path, 1, "L")


def decode_jpeg_of(report, name, snug, folder, mode):
    """Modes of Pillow: gray, and inks as Adobe stores them."""
    path = os.path.join(folder, "b.jpg")
    Image.fromarray(picture(90, 120)).convert(mode).save(path, quality=90)
    decoded(report, name, snug, path, 3, "RGB" if mode == "L" else None)
    if mode == "L":
        decoded(report, name, snug, path, 1, "L")


def decode_turned(report, name, snug, folder):
    """What a camera notes of how it was held is not looked at, as in Keras."""
    path = os.path.join(folder, "t.jpg")
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(picture(90, 120)).save(path, quality=90, exif=exif)
    with Image.open(path) as image:
        report.check(name, "the file has a note", float(image.getexif().get(0x0112) != 6), 0.0)
    decoded(report, name, snug, path, 3, "RGB")


def decode_png(report, name, snug, folder, channels, dtype):
    image = picture(61, 83, channels).astype(dtype)
    image = image * 257 - 3 if dtype == "uint16" else image
    path = write(folder, "a.png", tf.io.encode_png(np.clip(image, 0, None).astype(dtype)))
    for want in (1, 3, 4):
        decoded(report, name, snug, path, want)


def decode_png_of(report, name, snug, folder, mode, options):
    """Modes of Pillow: palettes, one bit."""
    path = os.path.join(folder, "b.png")
    Image.fromarray(picture(61, 83)).convert(mode).save(path, **options)
    decoded(report, name, snug, path, 3)
    if mode == "P" and "bits" not in options:  # of fewer than 8 bits TensorFlow's alpha is 15 or 1
        decoded(report, name, snug, path, 4)


# ---- resizing ----

SIZES = [((77, 131), (40, 64)), ((64, 64), (64, 64)), ((50, 40), (99, 130)), ((200, 300), (224, 224))]
MORE_SIZES = [((1, 1), (5, 7)), ((13, 200), (32, 32)), ((375, 500), (224, 224)), ((480, 640), (96, 128)), ((31, 31), (1, 1))]


def resize(report, name, snug, folder, size, to, method, aspect, channels):
    path = write(folder, "r.png", tf.io.encode_png(picture(*size, channels)))
    image = tf.cast(as_keras(path, channels), "float32")
    if method == "area":
        want = tf.image.resize(image, to, method="area").numpy()
    else:
        layer = K.Resizing(*to, interpolation=method, crop_to_aspect_ratio=aspect == "crop",
                           pad_to_aspect_ratio=aspect == "pad_first", fill_value=37.0)
        want = np.asarray(layer(image))
    got = snug.image(path, *to, channels, method, aspect, 37)
    report.check(name, "resized, " + method, np.abs(got - want).max(), {"nearest": 0.0, "area": 4e-3}.get(method, 2e-4))


def resize_beside_pillow(report, name, snug, folder, size, to):
    """Enlarging, where Pillow does not widen its filter."""
    image = picture(*size)
    path = write(folder, "p.png", tf.io.encode_png(image))
    want = np.asarray(Image.fromarray(image).resize(to[::-1], Image.Resampling.BILINEAR))
    report.check(name, "resized, Pillow's bilinear", np.abs(np.rint(snug.image(path, *to)) - want).max(), 1.0)


def fast(report, name, snug, folder, size, to):
    """A smaller decoding is the same picture: it differs less from Keras's than a pixel's neighbours do."""
    y, x = np.mgrid[0:size[0], 0:size[1]]
    image = np.stack([128 + 100 * np.sin(x / 60 + c) * np.cos(y / 50) for c in range(3)], -1).astype("uint8")
    path = write(folder, "f.jpg", tf.io.encode_jpeg(image, quality=95))
    want = tf.image.resize(as_keras(path), to).numpy()
    got = snug.image(path, *to, decode=FAST)
    report.check(name, "fast decoding, mean difference", np.abs(got - want).mean(), 1.5)


# ---- augmentation ----

def with_units(layer, units, call):
    """Run call with the random numbers of a layer replaced by units, in their order."""
    left = list(units)
    module = layer.backend.random
    kept = module.uniform

    def uniform(shape=(), minval=0.0, maxval=1.0, dtype=None, seed=None):
        value = minval + left.pop(0) * (maxval - minval)
        return tf.fill(shape, tf.cast(value, dtype or "float32"))
    module.uniform = uniform
    try:
        return call()
    finally:
        module.uniform = kept


MODES = ("reflect", "wrap", "constant", "nearest")


def steps():
    """Text of Snug, layer of Keras."""
    yield "flip", K.RandomFlip("horizontal")
    yield "flip=vertical", K.RandomFlip("vertical")
    yield "flip=horizontal_and_vertical", K.RandomFlip()
    yield "contrast=[0.2,0.5]", K.RandomContrast((0.2, 0.5))
    yield "brightness=0.4", K.RandomBrightness(0.4)
    yield "brightness=[-0.1,0.3]", K.RandomBrightness((-0.1, 0.3))
    yield "crop=30x41", K.RandomCrop(30, 41)
    for mode in MODES:
        for method in ("bilinear", "nearest"):
            words = "fill_mode=%s,interpolation=%s,fill_value=12" % (mode, method)
            options = {"fill_mode": mode, "interpolation": method, "fill_value": 12.0}
            yield "rotation(factor=0.3,%s)" % words, K.RandomRotation(0.3, **options)
            yield "translation(factor=0.4,%s)" % words, K.RandomTranslation(0.4, 0.4, **options)
            yield "zoom(factor=[-0.5,0.9],%s)" % words, K.RandomZoom((-0.5, 0.9), **options)
            yield ("zoom(height_factor=0.3,width_factor=0.6,%s)" % words, K.RandomZoom(0.3, 0.6, **options))


def augment(report, name, snug, step, layer, units, channels):
    image = picture(48, 67, channels).astype("float32")

    def call():
        drawn = layer.get_random_transformation(image, training=True)
        return np.asarray(layer.transform_images(tf.convert_to_tensor(image), drawn, training=True))
    want = with_units(layer, units, call)
    got = snug.augmented(image, step, units, want.shape)
    off = np.abs(got - want)
    if "nearest," in step.replace("fill_mode=nearest,", ""):
        report.check(name, "augmented, nearest: share of pixels", float((off.max(-1) > 1e-3).mean()), 0.002)
    else:
        report.check(name, "augmented", off.max(), 0.0 if step.startswith(("flip", "crop")) else 5e-3)


# ---- folders ----

def folders(report, name, snug, folder):
    root = os.path.join(folder, "tree")
    rng = np.random.default_rng(3)
    names = ["dog/%d.jpg" % i for i in rng.permutation(40)] + ["cat/x%d.PNG" % i for i in rng.permutation(23)]
    names += ["cat/more/a.png", "cat/more-of/b.jpeg", "cat/more/deep/c.jpg", "cat/.hidden.png", "Zebra/é.jpg", "Zebra/z.txt"]
    names += ["ant/readme", ".git/x.jpg", "loose.png"]
    for n in names:
        os.makedirs(os.path.dirname(os.path.join(root, n)), exist_ok=True)
        write(root, n, tf.io.encode_png(picture(8, 8)))
    for seed in (None, 0, 1, 1337, 4294967295):
        for part, subset in enumerate((None, "training", "validation")):
            split = 0.2 if subset else None
            data = keras.utils.image_dataset_from_directory(root, validation_split=split, subset=subset, seed=seed,
                                                            shuffle=seed is not None, verbose=False)
            got = snug.listed(root, True, seed, split or 0, part)
            report.check(name, "files in other places", float(sum(p != q for (p, _), q in zip(got, data.file_paths))), 0.0)
            report.check(name, "files too many or few", float(abs(len(got) - len(data.file_paths))), 0.0)
            labels = [sorted(data.class_names).index(os.path.relpath(p, root).split(os.sep)[0]) for p in data.file_paths]
            report.check(name, "labels", float(sum(n != m for (_, n), m in zip(got, labels))), 0.0)
    data = keras.utils.image_dataset_from_directory(root, labels=None, shuffle=False, verbose=False)
    got = [p for p, _ in snug.listed(root, False, None, 0, 0)]
    same = [os.path.normpath(p) for p in data.file_paths]
    report.check(name, "files in other places", float(sum(p != q for p, q in zip(got, same))), 0.0)
    report.check(name, "files too many or few", float(abs(len(got) - len(same))), 0.0)


def whole(report, name, snug, folder, aspect):
    """A folder as Keras reads it, from the files to batches."""
    root = os.path.join(folder, "whole-" + aspect)
    for i in range(6):
        os.makedirs(os.path.join(root, "ab"[i % 2]), exist_ok=True)
        write(root, "%s/%d.jpg" % ("ab"[i % 2], i), tf.io.encode_jpeg(picture(60 + 20 * i, 150 - 15 * i, seed=i)))
    options = {aspect + "_to_aspect_ratio": True} if aspect != "stretch" else {}
    data = keras.utils.image_dataset_from_directory(root, image_size=(96, 80), shuffle=False, batch_size=None,
                                                    verbose=False, **options)
    for path, (image, _) in zip(data.file_paths, data):
        got = snug.image(path, 96, 80, aspect=aspect)
        report.check(name, "images of a folder", np.abs(got - image.numpy()).max(), 2e-4)


def run(report, folder, everything):
    if common.ITSELF:
        raise SystemExit("images: Keras has no place for itself here")
    snug = Images(folder)
    for case in jpegs(everything):
        report.run("jpeg-%s-q%d-%d-%s" % case, decode_jpeg, snug, folder, *case)
    for mode in ("L", "CMYK"):
        report.run("jpeg-" + mode, decode_jpeg_of, snug, folder, mode)
    report.run("jpeg-turned", decode_turned, snug, folder)
    for channels in (1, 2, 3, 4):
        for dtype in ("uint8", "uint16"):
            report.run("png-%d-%s" % (channels, dtype), decode_png, snug, folder, channels, dtype)
    for mode, options in (("P", {}), ("1", {}), ("P", {"bits": 4}), ("P", {"transparency": 3})):
        report.run("png-%s-%s" % (mode, options), decode_png_of, snug, folder, mode, options)
    for size, to in SIZES + (MORE_SIZES if everything else []):
        for method in ("nearest", "bilinear", "area"):
            for aspect in ("stretch", "crop", "pad_first") if method != "area" else ("stretch",):
                for channels in (1, 3) + ((4,) if everything else ()):
                    report.run("resize-%s-%s-%s-%s-%d" % (size, to, method, aspect, channels), resize, snug, folder, size,
                               to, method, aspect, channels)
    for size, to in [((50, 40), (99, 130)), ((64, 64), (224, 224)), ((100, 150), (101, 400))]:
        report.run("pillow-%s-%s" % (size, to), resize_beside_pillow, snug, folder, size, to)
    for size, to in [((448, 448), (224, 224)), ((900, 1200), (224, 224)), ((2000, 1504), (96, 96))]:
        report.run("fast-%s-%s" % (size, to), fast, snug, folder, size, to)
    units = [(0.1, 0.8), (0.9, 0.3)] + ([(0.0, 0.0), (0.5, 0.5), (0.99, 0.01), (0.25, 0.75)] if everything else [])
    for step, layer in steps():
        for pair in units:
            for channels in (3, 1) if everything else (3,):
                report.run("augment-%s-%s-%d" % (step, pair, channels), augment, snug, step, layer, pair, channels)
    report.run("folders", folders, snug, folder)
    for aspect in ("stretch", "crop", "pad"):
        report.run("whole-" + aspect, whole, snug, folder, aspect)
    snug.close()
