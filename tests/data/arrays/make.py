#!/usr/bin/env python3
"""Make the files of this folder with NumPy: python3 make.py.  The same NumPy gives the same bytes.

Every numeric array holds 0, 1, 2, ... in C order, as its dtype has it, so that a test knows what to expect.
"""
import gzip
import pathlib
import struct
import zipfile

import numpy as np

HERE = pathlib.Path(__file__).parent
SHAPE = (3, 2, 4)


def counting(dtype, shape=SHAPE):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def save(name, array, version=None):
    with open(HERE / name, "wb") as f:
        np.lib.format.write_array(f, array, version=version, allow_pickle=True)


def npz(name, arrays, method=zipfile.ZIP_STORED):
    """As numpy.savez does, but with one date for all times."""
    with zipfile.ZipFile(HERE / name, "w", method) as archive:
        for key, array in arrays.items():
            info = zipfile.ZipInfo(key + ".npy")
            info.compress_type = method
            with archive.open(info, "w", force_zip64=True) as f:
                np.lib.format.write_array(f, np.asanyarray(array), allow_pickle=True)


def idx(name, code, array):
    head = struct.pack(">HBB", 0, code, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
    data = head + array.astype(array.dtype.newbyteorder(">")).tobytes()
    if name.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    (HERE / name).write_bytes(data)


for text in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]:
    save(f"{text}.npy", counting("<" + text))
for text in ["f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8"]:
    save(f"big_{text}.npy", counting(">" + text))
save("b1.npy", counting("i4") % 2 == 1)
save("negative_i2.npy", -counting("<i2"))
save("fortran_f4.npy", np.asfortranarray(counting("<f4")))
save("fortran_big_i2.npy", np.asfortranarray(counting(">i2")))
save("version2.npy", counting("<f4"), (2, 0))
save("version3.npy", counting("<f4"), (3, 0))
save("empty.npy", np.zeros((0, 4), "<f4"))

save("too_large_u8.npy", np.array([1, 2**63], "<u8"))
save("scalar.npy", np.array(1.0))
save("seven_axes.npy", np.zeros((1,) * 7, "<f4"))
save("objects.npy", np.array([{"a": 1}, None], dtype=object))
save("texts.npy", np.array(["cat", "dog"]))
save("bytes.npy", np.array([b"cat", b"dog"]))
save("complex.npy", np.array([1j, 2], "<c8"))
save("dates.npy", np.array(["2020-01-01"], "<M8[D]"))
save("records.npy", np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))

x, y = counting("u1", (6, 4)), counting("<i8", (6,)) % 3
npz("plain.npz", {"x": x, "y": y})
npz("deflated.npz", {"x": np.zeros((50, 40), "<f4"), "y": np.zeros((50, 1), "<i4")}, zipfile.ZIP_DEFLATED)
npz("parts.npz", {"x_train": x, "y_train": y, "x_val": x[:2], "y_val": y[:2], "x_test": x[:3], "y_test": y[:3]})
npz("medical.npz", {"train_images": x, "train_labels": y, "val_images": x[:2], "val_labels": y[:2]})
npz("several.npz", {"x_0": x, "x_1": x[:, :2], "y_0": y, "y_1": y, "sample_weight": np.ones(6, "<f4")})
npz("named.npz", {"left": x, "right": x[:, :2], "first": y, "second": y})
npz("unnamed.npz", {"arr_0": x, "arr_1": y})
npz("mixed.npz", {"x": x, "y": np.array(["cat"] * 6), "names": np.array([None])})
with zipfile.ZipFile(HERE / "outside.npz", "w") as archive:
    archive.writestr(zipfile.ZipInfo("../x.npy"), (HERE / "u1.npy").read_bytes())
with zipfile.ZipFile(HERE / "no_arrays.npz", "w") as archive:
    archive.writestr(zipfile.ZipInfo("readme.txt"), "nothing here")

for code, text in [(0x08, "u1"), (0x09, "i1"), (0x0B, "i2"), (0x0C, "i4"), (0x0D, "f4"), (0x0E, "f8")]:
    idx(f"{text}.idx", code, counting(text))
idx("images.idx.gz", 0x08, counting("u1", (5, 2, 2)))
idx("labels.idx.gz", 0x08, counting("u1", (5,)))
