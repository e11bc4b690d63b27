"""The structs of include/snug, member by member; tests/python/test_structs.py holds them against the headers."""
from __future__ import annotations

from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t,
                    c_uint32, c_uint64, c_void_p, sizeof)

MAX_RANK = 6
ROWS_UNKNOWN = -1
WHY_BYTES = 512
AVAILABLE_TEXT = 256
RECORD_WHY = 256

OK, E_MEMORY, E_ARGUMENT, E_SHAPE, E_DTYPE, E_OVERFLOW, E_DATA = 0, -1, -2, -3, -4, -5, -6
E_STATE, E_FORMAT, E_IO, E_LIMIT, E_UNSUPPORTED, E_STOPPED, E_INTERNAL = -7, -8, -9, -10, -11, -12, -13

# In the order of SNUG_DTYPE_LIST, from 1.
DTYPES = ("float32", "float64", "float16", "bfloat16", "int8", "int32", "int64", "uint8", "bool")


NOTE = CFUNCTYPE(None, c_void_p, c_char_p)


# The first member of every struct that can grow: include/snug/struct_size.h.
SIZE = ("struct_size", c_size_t)


class Sized(Structure):
    """A struct that can grow, of which `_fields_` begins with SIZE; the keywords are its other members."""

    def __init__(self, **members) -> None:
        super().__init__(struct_size=sizeof(self), **members)


class Options(Sized):
    _fields_ = [SIZE, ("allocator", c_void_p), ("memory_limit", c_uint64), ("threads", c_int32),
                ("whole_process", c_bool), ("note", NOTE), ("note_user", c_void_p), ("device", c_char_p)]


class Array(Structure):
    _fields_ = [("data", c_void_p), ("dtype", c_int), ("rank", c_int32), ("shape", c_int64 * MAX_RANK)]


RESTART = CFUNCTYPE(c_int, c_void_p, c_void_p, c_uint64, c_void_p)
READ = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int64, c_uint64, POINTER(c_void_p), c_void_p)
CANCEL = CFUNCTYPE(None, c_void_p)


class Source(Sized):
    _fields_ = [SIZE, ("name", c_char_p), ("user", c_void_p), ("rows", c_int64), ("in_order", c_bool),
                ("scratch", c_size_t), ("restart", RESTART), ("read", READ), ("cancel", CANCEL), ("workers", c_int32),
                ("prefetch", c_int32), ("window", c_int64), ("skip_bad", c_bool)]


class Data(Sized):
    _fields_ = [SIZE, ("x", POINTER(Array)), ("n_x", c_int32), ("y", POINTER(Array)), ("n_y", c_int32),
                ("sample_weight", POINTER(Array)), ("source", POINTER(Source)), ("map", c_void_p),
                ("map_user", c_void_p)]


class LoadOptions(Sized):
    _fields_ = [SIZE, ("seed", c_uint64), ("x", POINTER(Array)), ("n_x", c_int32), ("no_compile", c_bool),
                ("no_weights", c_bool), ("memory", c_uint64)]


class Logs(Structure):
    _fields_ = [("n", c_size_t), ("names", POINTER(c_char_p)), ("values", POINTER(c_double))]

    def as_dict(self) -> dict:
        return {self.names[i].decode(): self.values[i] for i in range(self.n)}


TRAIN_BEGIN = CFUNCTYPE(c_bool, c_void_p, c_int64, c_int64)
COUNT = CFUNCTYPE(c_bool, c_void_p, c_int64)
COUNT_LOGS = CFUNCTYPE(c_bool, c_void_p, c_int64, POINTER(Logs))
LOGS = CFUNCTYPE(c_bool, c_void_p, POINTER(Logs))


class Callback(Sized):
    _fields_ = [SIZE, ("user", c_void_p), ("train_begin", TRAIN_BEGIN), ("epoch_begin", COUNT),
                ("batch_end", COUNT_LOGS), ("test_begin", COUNT), ("test_batch_end", COUNT_LOGS), ("test_end", LOGS),
                ("epoch_end", COUNT_LOGS), ("train_end", LOGS), ("failure", POINTER(c_int)), ("prepare", c_void_p),
                ("close", c_void_p), ("adds", c_char_p), ("added", POINTER(c_double)), ("state", c_void_p),
                ("destroy", c_void_p), ("memory_sample", c_void_p)]


class CallbackTarget(Sized):
    _fields_ = [SIZE, ("sink", c_void_p), ("user", c_void_p), ("path", c_char_p), ("interrupted", POINTER(c_int)),
                ("refuses", c_void_p), ("user_of_refuses", c_void_p)]


class Sampling(Structure):
    _fields_ = [("epochs", c_void_p), ("n_epochs", c_int32), ("batches", c_void_p), ("n_batches", c_int32)]


PLANNED = CFUNCTYPE(c_bool, c_void_p, c_void_p)


class FitOptions(Sized):
    _fields_ = [SIZE, ("batch_size", c_int64), ("epochs", c_int64), ("initial_epoch", c_int64),
                ("steps_per_epoch", c_int64), ("no_shuffle", c_bool), ("validation_split", c_double),
                ("validation_data", POINTER(Data)), ("validation_batch_size", c_int64), ("validation_steps", c_int64),
                ("validation_freq", c_int64), ("augment", c_char_p), ("class_weight", POINTER(c_double)),
                ("n_class_weight", c_int64),
                ("callbacks", POINTER(Callback)), ("n_callbacks", c_int32), ("memory", c_uint64),
                ("recompute", c_char_p), ("micro_batch", c_int64), ("allow_batch_statistics", c_bool),
                ("allow_disk", c_bool), ("disk_folder", c_char_p), ("beside", c_bool), ("curve", c_bool),
                ("kernels", c_char_p), ("sampling", Sampling), ("planned", PLANNED), ("planned_user", c_void_p),
                ("caller_memory", c_uint64), ("caller_memory_after", c_uint64), ("settings", c_void_p),
                ("n_settings", c_int32), ("outputs", c_void_p), ("n_outputs", c_int32), ("replan", c_bool)]


class MemoryReport(Sized):
    _fields_ = [SIZE] + [(name, c_uint64) for name in (
        "weights", "gradients", "optimizer", "activations", "scratch", "data", "callbacks", "runtime", "block", "load",
        "planned", "measured", "code", "outside", "tables", "reserve", "process", "process_measured", "line", "idle",
        "caller")]


class LayerMemory(Sized):
    _fields_ = [SIZE, ("layer", c_char_p), ("weights", c_uint64), ("optimizer", c_uint64), ("step", c_uint64)]


class PlanPoint(Sized):
    _fields_ = [SIZE, ("block", c_uint64), ("process", c_uint64), ("seconds", c_double), ("micro_batch", c_int64),
                ("recomputed", c_int64), ("recompute_seconds", c_double), ("direct", c_int64),
                ("direct_seconds", c_double), ("on_disk", c_uint64), ("slots", c_uint64), ("disk_seconds", c_double)]


class PlanMoment(Sized):
    _fields_ = [SIZE, ("item", c_int64), ("items", c_int64), ("layer", c_char_p), ("op", c_char_p),
                ("backward", c_bool), ("validation", c_bool), ("bytes", c_uint64)]


class WeightInfo(Sized):
    _fields_ = [SIZE, ("name", c_char_p), ("layer", c_char_p), ("dtype", c_int), ("rank", c_int32),
                ("shape", c_int64 * MAX_RANK), ("trainable", c_bool), ("bytes", c_size_t)]


class VariableInfo(Sized):
    _fields_ = [SIZE, ("path", c_char_p), ("name", c_char_p), ("dtype", c_int), ("rank", c_int32),
                ("shape", c_int64 * MAX_RANK), ("initial", c_double)]


VISIT_VARIABLE = CFUNCTYPE(None, c_void_p, POINTER(VariableInfo))


class Available(Sized):
    _fields_ = [SIZE, ("bytes", c_uint64), ("who", c_char * AVAILABLE_TEXT)]


class Moment(Sized):
    _fields_ = [SIZE, ("seconds", c_double), ("at", c_char_p), ("epoch", c_int64), ("batch", c_int64),
                ("resident", c_uint64), ("peak", c_uint64), ("held", c_uint64), ("held_peak", c_uint64),
                ("device", c_uint64), ("device_peak", c_uint64), ("anonymous", c_uint64), ("file", c_uint64),
                ("shared", c_uint64), ("processes", c_uint32)]


class Scope(Structure):
    _fields_ = [("start", c_uint64), ("peak", c_uint64), ("end", c_uint64), ("outer", c_void_p)]


class FitRecord(Sized):
    _fields_ = [SIZE, ("model", c_void_p), ("path", c_char_p), ("replace", c_bool), ("goes_on", c_bool),
                ("stays_open", c_bool), ("recorder", c_void_p), ("began", c_double), ("failed", c_int),
                ("why", c_char * RECORD_WHY), ("process", c_uint64), ("made", c_void_p), ("since", Scope),
                ("has_scope", c_bool), ("is_complete", c_bool), ("epoch", c_int64), ("batch", c_int64),
                ("last_batch", c_double), ("spent", c_double), ("told", c_int64), ("tells_epoch", c_bool),
                ("told_peak", c_uint64)]
