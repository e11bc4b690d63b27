"""A Keras that says little, for the tests; KERAS_BACKEND names the back end."""
import os
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def _imported():
    """TensorFlow writes to stderr before anyone can tell it not to."""
    sys.stderr.flush()
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        import keras
        keras.ops.zeros(1) + 1
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)
    return keras


keras = _imported()
BACKEND = keras.backend.backend()
