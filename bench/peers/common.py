"""What every peer does the same way: options, made-up data, the stopwatch, one line of JSON."""

import argparse
import json
import os
import time

# name: (batch, size, channels, classes, a label for every pixel)
NETS = {
    "mlp": (32, 100, 0, 10, False),
    "cnn": (64, 28, 1, 10, False),
    "mobilenetv2": (32, 224, 3, 1000, False),
    "resnet50": (32, 224, 3, 1000, False),
    "vgg16": (16, 224, 3, 1000, False),
    "efficientnetb0": (16, 224, 3, 1000, False),
    "densenet121": (16, 224, 3, 1000, False),
    "unet": (8, 128, 3, 2, True),
}


def read_options():
    """The options of bench/train, and `--mode`: how the peer runs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True, choices=NETS)
    parser.add_argument("--mode", default="")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--size", type=int)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--warm", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--batches", type=int, default=2)
    parser.add_argument("--marks", type=int, default=0)
    o = parser.parse_args()
    batch, size, o.channels, o.classes, o.per_pixel = NETS[o.model]
    o.batch = o.batch or batch
    o.size = o.size or size
    return o


def input_shape(o):
    return (o.size, o.size, o.channels) if o.channels else (o.size,)


def make_data(o, label_type="int32"):
    """x of -1 to 1 and labels, one array each for all batches."""
    import numpy as np

    rng = np.random.default_rng(1)
    rows = o.batch * o.batches
    x = rng.random((rows, *input_shape(o)), dtype=np.float32) * 2 - 1
    y_shape = (rows, o.size, o.size) if o.per_pixel else (rows,)
    return x, rng.integers(0, o.classes, y_shape).astype(label_type)


def peak_bytes():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return 0


def measure(o, step, finish, data_bytes, who, settings, parameters, group=1):
    """Call step(i) until the time is over, and print what it took.

    A call makes `group` training steps; finish() waits for all of them and gives the loss.  With marks: tell when timing
    begins, and when how many steps were done."""
    process = float(os.environ.get("BENCH_START", time.monotonic()))
    step(0)
    finish()
    first = time.monotonic() - process
    calls = 1
    while calls * group < o.warm:
        step(calls)
        calls += 1
    finish()
    begin = time.monotonic()
    timed, marks = 0, [(begin, 0)]
    if o.marks:
        print("begin", flush=True)
    while timed < o.steps and (timed < 2 or time.monotonic() - begin < o.seconds):
        step(calls)
        calls += 1
        timed += group
        if o.marks and time.monotonic() - marks[-1][0] >= 0.01:
            marks.append((time.monotonic(), timed))
    loss = finish()
    seconds = time.monotonic() - begin
    print(
        json.dumps(
            {
                "who": who,
                "model": o.model,
                "batch": o.batch,
                "size": o.size,
                "steps": timed,
                "examples_per_s": timed * o.batch / seconds,
                "first_step_s": first,
                "peak_bytes": peak_bytes(),
                "data_bytes": data_bytes,
                "parameters": parameters,
                "loss": float(loss),
                "settings": settings,
                **({"marks": marks} if o.marks else {}),
            }
        )
    )
