#!/usr/bin/env python3
"""Make the seeds of the fuzzers from the files under tests/data.  Usage: seeds.py DATA OUT

OUT/file: archives as they are, and the HDF5 files of the compressed ones; OUT/config: config.json
of every archive, and every *.json; OUT/data: the files of arrays, and a table; OUT/record: a head and two
frames, whose checksums the fuzzer mends.
"""
import pathlib
import shutil
import sys
import zipfile

data, out = map(pathlib.Path, sys.argv[1:])
for folder in ("file", "config", "data", "record"):
    (out / folder).mkdir(parents=True, exist_ok=True)
for path in data.rglob("*.keras"):
    with zipfile.ZipFile(path) as archive:
        weights = archive.getinfo("model.weights.h5")
        if weights.compress_type:
            (out / "file" / f"{path.stem}.h5").write_bytes(archive.read(weights))
        shutil.copy(path, out / "file")
        (out / "config" / f"{path.stem}.json").write_bytes(archive.read("config.json"))
for path in data.rglob("*.json"):
    shutil.copy(path, out / "config")
for path in (data / "arrays").iterdir():
    if path.suffix != ".py":
        shutil.copy(path, out / "data")
(out / "data" / "table.csv").write_text('a,"b ""c""",label\n1,2.5,x\n\n-3,"4e1",y\r\n')
(out / "record" / "frames.snug").write_bytes(bytes(24) + b"F\x04\x00.\x01a\x01b...." b"M\x05\x00.\x00\x04\x02\x08\x00....")
