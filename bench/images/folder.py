"""Make a folder of JPEG files like a collection of photographs: many sizes, two classes.

Usage: folder.py FOLDER [--files 2000] [--least 320] [--most 1600] [--seed 1]

Pictures are clouds of several scales with edges and a little noise, so that they take about as many bytes as photographs do
(1 bit per pixel and more).  The long side is 320 to 1600 pixels, as many below 700 as above it; one of ten is upright, one of
twenty gray, one of twenty progressive; qualities are 75 to 95.  The same seed makes the same files.
"""
import argparse
import os

import numpy as np
from PIL import Image


def clouds(rng, height, width):
    """Smooth noise of several scales, -1 to 1."""
    out = np.zeros((height, width), "float32")
    weight = 1.0
    for cells in (2, 5, 12, 40, 110):
        small = rng.standard_normal((min(cells, height), min(cells, width))).astype("float32")
        out += weight * np.asarray(Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC))
        weight *= 0.55
    return out / 2.2


def picture(rng, height, width):
    light = clouds(rng, height, width)
    edge = clouds(rng, height, width) > 0.3
    planes = []
    for _ in range(3):
        tint = 0.35 * clouds(rng, height, width)
        plane = 120 + 75 * (light + tint) + 45 * edge * rng.uniform(-1, 1)
        planes.append(plane + rng.standard_normal((height, width)) * 4.0)
    return np.clip(np.stack(planes, -1), 0, 255).astype("uint8")


def size_of(rng, least, most):
    long = int(np.exp(rng.uniform(np.log(least), np.log(most))))
    short = int(long * rng.uniform(0.6, 0.8))
    return (long, short) if rng.random() < 0.1 else (short, long)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--least", type=int, default=320)
    parser.add_argument("--most", type=int, default=1600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    pixels = written = 0
    for i in range(options.files):
        rng = np.random.default_rng((options.seed, i))
        height, width = size_of(rng, options.least, options.most)
        image = Image.fromarray(picture(rng, height, width))
        if rng.random() < 0.05:
            image = image.convert("L")
        at = os.path.join(options.folder, "ab"[i % 2])
        os.makedirs(at, exist_ok=True)
        path = os.path.join(at, "%05d.jpg" % i)
        image.save(path, quality=int(rng.integers(75, 96)), progressive=bool(rng.random() < 0.05))
        pixels += height * width
        written += os.path.getsize(path)
    print("%d files, %.0f MB, %.2f bits per pixel" % (options.files, written / 1e6, 8 * written / pixels))


main()
