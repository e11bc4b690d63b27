"""Keras on TensorFlow (--mode tf, or tf-xla: the step compiled by XLA) or on JAX (--mode jax).

TensorFlow runs the compiled train_function of `fit` on a tf.data pipeline that holds the batches as
tensors.  JAX runs a jitted step that is given its state and gives the new one back."""

import os

import common

GROUPS = {"mlp": 32, "cnn": 8}  # steps per call of TensorFlow's train_function: Python steps aside


def compile_model(model, xla, group):
    model.compile(
        optimizer="adam",
        loss="sparse_categorical_crossentropy",
        jit_compile=xla,
        steps_per_execution=group,
    )


def run_tensorflow(o):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(o.threads)
    tf.config.threading.set_inter_op_parallelism_threads(o.threads)
    import keras
    import keras_models

    xla = o.mode == "tf-xla"
    group = GROUPS.get(o.model, 1)
    x, y = common.make_data(o)
    data_bytes = x.nbytes + y.nbytes
    model = keras_models.build(o.model, common.input_shape(o), o.classes)
    compile_model(model, xla, group)
    model.make_train_function()
    batches = tf.data.Dataset.from_tensor_slices(
        (x.reshape(o.batches, o.batch, *x.shape[1:]), y.reshape(o.batches, o.batch, *y.shape[1:]))
    )
    del x, y
    iterator = iter(batches.repeat())
    last = {}

    def step(_):
        last["logs"] = model.train_function(iterator)

    def finish():
        logs = last["logs"]
        return float((logs[0] if isinstance(logs, list) else logs)["loss"])

    settings = f"tensorflow {tf.__version__}, keras {keras.__version__}, oneDNN on"
    settings += f", jit_compile={xla}, {group} steps per call, {o.threads} threads"
    common.measure(
        o, step, finish, data_bytes, o.mode, settings, model.count_params(), group
    )


def jax_step(model, optimizer, loss_of):
    import jax

    def loss_and_state(trained, others, x, y):
        y_pred, others = model.stateless_call(trained, others, x, training=True)
        return loss_of(y, y_pred), others

    gradient = jax.value_and_grad(loss_and_state, has_aux=True)

    def step(state, x, y):
        trained, others, slots = state
        (loss, others), grads = gradient(trained, others, x, y)
        trained, slots = optimizer.stateless_apply(slots, grads, trained)
        return loss, (trained, others, slots)

    return jax.jit(step, donate_argnums=0)


def run_jax(o):
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import keras
    import keras_models

    x, y = common.make_data(o)
    model = keras_models.build(o.model, common.input_shape(o), o.classes)
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    one_step = jax_step(model, optimizer, keras.losses.SparseCategoricalCrossentropy())
    batches = [
        (jax.numpy.asarray(x[k : k + o.batch]), jax.numpy.asarray(y[k : k + o.batch]))
        for k in range(0, len(x), o.batch)
    ]
    data_bytes = x.nbytes + y.nbytes
    del x, y
    now = {
        "state": tuple(
            [v.value for v in part]
            for part in (
                model.trainable_variables,
                model.non_trainable_variables,
                optimizer.variables,
            )
        )
    }

    def step(i):
        now["loss"], now["state"] = one_step(now["state"], *batches[i % len(batches)])

    def finish():
        jax.block_until_ready(now["state"])
        return now["loss"]

    settings = f"jax {jax.__version__}, keras {keras.__version__}, jitted step, {o.threads} threads"
    common.measure(o, step, finish, data_bytes, "jax", settings, model.count_params())


def main():
    o = common.read_options()
    os.environ["KERAS_BACKEND"] = "jax" if o.mode == "jax" else "tensorflow"
    if o.mode == "jax":
        run_jax(o)
    else:
        run_tensorflow(o)


main()
