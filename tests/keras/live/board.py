"""`snug report --tensorboard`: TensorBoard's own reader gets the values, under the tags that Keras's callback gives them."""
import json
import os

from command import snug
from common import keras, np
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

EPOCHS = 3
BATCHES = 5


def scalars(folder):
    """Tag to a list of (step, value)."""
    read = EventAccumulator(folder, size_guidance={"scalars": 0, "tensors": 0})
    read.Reload()
    found = {tag: [(e.step, e.value) for e in read.Scalars(tag)] for tag in read.Tags()["scalars"]}
    for tag in read.Tags()["tensors"]:
        found[tag] = [(e.step, float(np.frombuffer(e.tensor_proto.tensor_content, "<f4")[0])
                       if e.tensor_proto.tensor_content else e.tensor_proto.float_val[0])
                      for e in read.Tensors(tag)]
    return found


def recorded(folder):
    """A fit of ours, its event files in logs, and what the recording says as JSON."""
    random = np.random.default_rng(1)
    np.savez(os.path.join(folder, "data.npz"), x=random.normal(size=(20 * BATCHES, 4)).astype("float32"),
             y=random.integers(0, 3, 20 * BATCHES).astype("int32"))
    snug(folder, "init", "mlp", "--input-shape", "4", "--classes", "3", "-o", "m.keras", "-q", "-f")
    snug(folder, "fit", "m.keras", "--data", "data.npz", "--validation-data", "data.npz", "--epochs", str(EPOCHS),
         "--batch-size", "20", "--record", "run.snug", "-q", "-f")
    snug(folder, "report", "run.snug", "--tensorboard", "logs", "-q", "-f")
    return json.loads(snug(folder, "report", "run.snug", "--json"))


def same(report, name, what, got, wanted):
    got, wanted = np.array(got, "float64"), np.array(wanted, "float64")
    if got.shape != wanted.shape:
        report.fail(name, "%s: %s, and not %s" % (what, got.tolist(), wanted.tolist()))
    else:
        report.check(name, what, float(np.max(np.abs(got - wanted) / np.maximum(np.abs(wanted), 1e-9))), 1e-6)


def values(report, name, folder):
    told = recorded(folder)
    train, validation = scalars(folder + "/logs/train"), scalars(folder + "/logs/validation")
    for epoch_values in [told["epochs"][0]["values"]]:
        for key in epoch_values:
            if key == "peak_memory":
                continue
            is_validation = key.startswith("val_")
            found = (validation if is_validation else train)["epoch_" + (key[4:] if is_validation else key)]
            same(report, name, "epoch_", found, [(e["epoch"], e["values"][key]) for e in told["epochs"]])
    same(report, name, "epoch_peak_memory", train["epoch_peak_memory"],
         [(e["epoch"], e["resident"]) for e in told["epochs"]])
    # batches may be thinned where they take microseconds; their steps count through the epochs
    wanted = [(m["epoch"] * BATCHES + m["batch"], m["resident"]) for m in told["moments"] if m["at"] == "batch_end"]
    same(report, name, "batch_memory", train.get("batch_memory", []), wanted)


def tags(report, name, folder):
    """What Keras's callback writes per epoch, ours has under the same name, in a folder of the same name."""
    recorded(folder)
    random = np.random.default_rng(1)
    x, y = random.normal(size=(40, 4)), random.integers(0, 3, 40)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x, y, validation_data=(x, y), epochs=2, verbose=0,
              callbacks=[keras.callbacks.TensorBoard(folder + "/keras", write_graph=False)])
    for part in ("train", "validation"):
        theirs = {tag for tag in scalars(folder + "/keras/" + part) if tag.startswith("epoch_")}
        ours = set(scalars(folder + "/logs/" + part))
        missing = theirs - ours - {"epoch_learning_rate"}  # which is a value of the logs only where a callback sets it
        report.check(name, "tags that are missing", len(missing), 0, str(missing))
        report.check(name, "tags that Keras lacks", 2 - len(theirs), 0, str(theirs))


def watched(report, name, folder):
    """Runs compared lie in folders of their own, and TensorBoard sees each."""
    recorded(folder)
    os.replace(folder + "/run.snug", folder + "/a.snug")
    recorded(folder)
    snug(folder, "compare", "a.snug", "run.snug", "--tensorboard", "both", "-q")
    for run in ("a", "run"):
        report.check(name, "runs without values", len(scalars("%s/both/%s/train" % (folder, run))) < 3, 0)


def run(report, folder, everything):
    report.run("values", values, folder)
    report.run("tags", tags, folder)
    report.run("comparisons", watched, folder)
