"""What `snug layers` lists against what Keras has: everything stands in it, supported or not, and every argument of what is
supported is an option, or stands among what is not supported."""
import fnmatch
import inspect
import json
import os
import subprocess

from common import keras

PLACES = {"layer": keras.layers, "operation": keras.ops, "activation": keras.activations, "loss": keras.losses,
          "metric": keras.metrics, "optimizer": keras.optimizers, "schedule": keras.optimizers.schedules,
          "initializer": keras.initializers, "regularizer": keras.regularizers, "constraint": keras.constraints}
# What all layers have, or what says nothing in Snug: random numbers come from the seed of the model, and the last ones
# belong to options that must be null.
EVERYWHERE = {"name", "dtype", "trainable", "seed", "activity_regularizer", "weights", "lora_alpha", "renorm_clipping",
              "renorm_momentum"}
# Not layers of a model: the base class, and the input, which is no layer in Snug.
NO_LAYERS = {"Layer", "InputLayer"}


def plain(name):
    return name.replace("_", "").lower()


def listed():
    done = subprocess.run([os.environ["SNUG"], "layers", "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def of_keras(place, name):
    """The class of a name, as Snug writes it, or the function where there is no class."""
    there = [(n, o) for n, o in vars(place).items() if callable(o) and not n.startswith("_")]
    found = {plain(n): o for n, o in sorted(there, key=lambda x: inspect.isclass(x[1]))}
    for ending in ("", "initializer"):
        if plain(name) + ending in found:
            return found[plain(name) + ending]
    return None


def arguments_of(thing, is_operand):
    """The arguments of a class or function, without the tensors that an operation is called on."""
    parameters = inspect.signature(thing.__init__ if inspect.isclass(thing) else thing).parameters.values()
    return {p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL) and p.name != "self"
            and not (is_operand and p.default is p.empty)}


def expect_none(report, case, missing):
    if missing:
        report.fail(case, "not listed: %s" % sorted(missing))


def check_arguments(report, thing, unset):
    known = {o["name"] for o in thing["options"]}
    is_function = thing["sort"] in ("operation", "activation")
    for name in [thing["name"]] + thing["aliases"]:
        there = of_keras(PLACES[thing["sort"]], name)
        if there is None:
            continue
        missing = arguments_of(there, is_function) - known - EVERYWHERE - unset
        report.run("arguments of the %s %s" % (thing["sort"], name), expect_none, missing)
        return


# What stands in those modules and is no thing of a model: base classes, functions that make and write things.
NO_THINGS = {"Layer", "InputLayer", "Loss", "Metric", "Optimizer", "OptimizerMap", "LearningRateSchedule", "Initializer",
             "Regularizer", "Constraint", "deserialize", "get", "serialize"}


def names_of(sort):
    """The public names of a sort: classes of layers and optimizers, and all else that can be called."""
    if sort == "operation":
        import operations
        return [n.replace("image.", "") for n in operations.public() if n not in operations.NOT_FOR_A_MODEL]
    place = PLACES[sort]
    return sorted(n for n, o in vars(place).items() if callable(o) and not n.startswith("_") and n not in NO_THINGS)


def check_all(report, things):
    """Every name of every sort is listed; a metric may be a loss, whose mean it is."""
    for sort in PLACES:
        if sort == "layer":
            continue
        known = {plain(n) for t in things if t["sort"] in ((sort, "loss") if sort == "metric" else (sort,))
                 for n in [t["name"]] + t["aliases"]}
        for name in names_of(sort):
            found = plain(name) in known or plain(name).removesuffix("initializer") in known
            report.run("the %s %s" % (sort, name), expect_none, set() if found else {name})


def check_layers(report, things):
    classes = {o.__name__ for o in vars(keras.layers).values()
               if inspect.isclass(o) and issubclass(o, keras.layers.Layer)} - NO_LAYERS
    names = [t["name"] for t in things if t["sort"] == "layer"]
    for name in sorted(classes):
        missing = set() if any(fnmatch.fnmatchcase(name, n) for n in names) else {name}
        report.run("the layer %s" % name, expect_none, missing)


def run(report, folder, everything):
    said = listed()
    unset = set(" ".join(said["rules"]).split())
    for thing in said["things"]:
        if thing["supported"]:
            check_arguments(report, thing, unset)
    check_layers(report, said["things"])
    check_all(report, said["things"])
