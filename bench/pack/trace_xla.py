"""Record how XLA assigns buffers to a training step of Keras on JAX, as a packing problem.

Usage: trace_xla.py MODEL BATCH SIDE OUT.csv [--weights] [--align N]      MODEL: of keras.applications

XLA dumps its modules; the largest one is the step.  A buffer is what XLA placed in its block of temporaries, from the
instruction that makes it to the last one that reads it; values that XLA lets share bytes while both live are one
buffer.  With --weights the parameters are there too, for the whole step."""

import glob
import os
import re
import tempfile

from trace_csv import arguments, write_problem

ALLOCATION = re.compile(r"allocation \d+: size (\d+), (.*):")
VALUE = re.compile(r" value: <\d+ (\S+) @\d+> \(size=(\d+),offset=(\d+)\)")
RANGE = re.compile(r"    (\S+?)(\{[\d,]*\})?:(\d+)-(\d+)$")


def read_ranges(path):
    """The first and last instruction of every value, by its name."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    part = text.split("BufferLiveRange:")[1].split("Live ranges at")[0]
    found = (RANGE.match(line) for line in part.splitlines())
    return {m[1] + (m[2] if m[2] not in (None, "{}") else ""): (int(m[3]), int(m[4])) for m in found if m}


def read_values(path):
    """(values in the block of temporaries as (name, bytes, offset), bytes of the parameters)."""
    temporaries, parameters = [], []
    is_temporary = False
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("Total bytes used"):
                break
            if allocation := ALLOCATION.match(line):
                is_temporary = "preallocated-temp" in allocation[2]
                if "parameter" in allocation[2]:
                    parameters.append(int(allocation[1]))
            elif is_temporary and (value := VALUE.match(line)):
                temporaries.append((value[1], int(value[2]), int(value[3])))
    return temporaries, parameters


def join_shared(values):
    """Values (lower, upper, bytes, offset) that overlap in time and place are one buffer."""
    values = sorted(values)
    joined = []
    alive = []
    for value in values:
        alive = [b for b in alive if b[1] > value[0]]
        shared = [b for b in alive if b[3] < value[3] + value[2] and value[3] < b[3] + b[2]]
        if shared:
            first = shared[0]
            end = max(first[3] + first[2], value[3] + value[2])
            first[1] = max(first[1], value[1])
            first[3] = min(first[3], value[3])
            first[2] = end - first[3]
        else:
            alive.append(list(value))
            joined.append(alive[-1])
    return joined


def dump_step(name, batch, side, folder):
    os.environ["KERAS_BACKEND"] = "jax"
    os.environ["XLA_FLAGS"] = f"--xla_dump_to={folder} --xla_dump_hlo_as_text --xla_dump_hlo_module_re=.*train_step.*"
    import keras
    import numpy as np

    model = getattr(keras.applications, name)(weights=None, input_shape=(side, side, 3), classes=1000)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(np.zeros((batch, side, side, 3), "float32"), np.zeros(batch), batch_size=batch, verbose=0)


def main():
    args = arguments().parse_args()
    ending = "-buffer-assignment.txt"
    with tempfile.TemporaryDirectory() as folder:
        dump_step(args.model, args.batch, args.side, folder)
        path = max(glob.glob(os.path.join(folder, "*" + ending)), key=os.path.getsize)
        ranges = read_ranges(path[: -len(ending)] + "-live-range.txt")
        temporaries, parameters = read_values(path)
    values = [(ranges[n][0], ranges[n][1] + 1, size, offset) for n, size, offset in temporaries if n in ranges]
    buffers = [(lower, upper, size) for lower, upper, size, _ in join_shared(values)]
    if args.weights:
        end = max(upper for _, upper, _ in buffers)
        buffers += [(0, end, size) for size in parameters]
    write_problem(args.out, buffers, args.align)
    print(f"{args.out}: {len(buffers)} buffers", flush=True)


if __name__ == "__main__":
    main()
