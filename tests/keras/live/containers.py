"""Large networks of keras.applications in control groups of 24 to 96 MiB, none of which is enough: a training is refused, with
exit code 3 and a word on what there is, and the kernel kills none."""
import os
import subprocess
import sys

from common import keras, np

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "..", "line"))
from groups import cgroup, cgroup_reason

SIZES = (24, 32, 48, 64, 96)  # MiB
NETWORKS = ("ResNet50V2", "EfficientNetV2B0")
SIDE, SAMPLES, CLASSES = 224, 8, 1000
SECONDS = 300


def make(folder, network):
    """network.keras, as it would be trained, and data for it."""
    keras.utils.clear_session()
    model = getattr(keras.applications, network)(weights=None)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.save(os.path.join(folder, network + ".keras"))
    rng = np.random.default_rng(1)
    np.savez(os.path.join(folder, "train.npz"), x=rng.integers(0, 256, (SAMPLES, SIDE, SIDE, 3)).astype("uint8"),
             y=rng.integers(0, CLASSES, SAMPLES).astype("int32"))


def fit(folder, network, group, *words):
    """In the group: (exit code, or minus the signal; what it said)."""
    command = ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', group.path, os.environ["SNUG"], "fit",
               network + ".keras", "--data", "train.npz", "--batch-size", str(SAMPLES), "--quiet", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
    return done.returncode, done.stderr


def in_group(report, name, folder, network, size, *words):
    with cgroup(size << 20) as group:
        code, said = fit(folder, network, group, *words)
        kills = group.kills()
    report.check(name, "killed", kills + (code < 0), 0, said[-300:])
    report.check(name, "other exit codes", code != 3, 0, "%d: %s" % (code, said[-300:]))
    named = "may hold" in said or "does not fit in %d.0 MiB" % size in said
    report.check(name, "says nothing of the limit", not named, 0, said[-300:])


def run(report, folder, everything):
    reason = cgroup_reason()
    if reason:
        print("skipped: " + reason)
        sys.exit(77)
    keras.config.set_floatx("float32")
    for network in NETWORKS:
        make(folder, network)
        for size in SIZES:
            name = "%s in a group of %d MiB" % (network, size)
            report.run(name + ", --memory auto", in_group, folder, network, size, "--memory", "auto")
            if everything:
                report.run(name, in_group, folder, network, size)
