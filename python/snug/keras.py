"""Memory of a Keras training, on any back end: `snug.keras.MemoryMonitor` among the callbacks of `fit`.

Whoever asks for this module has Keras: it is imported here, and nowhere else before it is needed.
"""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Union

import keras

from . import _gpus
from ._process import Peak, figures
from ._record import Path, Recorder, refuse_existing
from ._size import Bytes, text

HOST = "host"
BETWEEN_BATCHES = 0.05  # seconds between two of them in a recording


class Sample(NamedTuple):
    """Memory at one moment, in bytes, by device: 'host', 'GPU:0', ...

    `peak` is the most since the sample before on the host, and since the training began on a GPU.
    """

    label: str
    at: str
    epoch: int
    batch: Optional[int]
    current: Dict[str, int]
    peak: Dict[str, int]


class MemoryMonitor(keras.callbacks.Callback):
    """Measure the memory of a training and put it where people look.

    The values go into `logs`, in bytes: `memory` (resident in the process) and `peak_memory` (the most since the
    training began); for the GPUs that the back end has, `gpu_memory` and `peak_gpu_memory` from its own allocator
    (with `_0`, `_1`, ... behind where there are several).  So History, the progress bar (as 645.2 MiB), CSVLogger and
    TensorBoard have them; those that are given as callbacks must stand behind this one.  On a machine without a GPU
    there are no such values.

    Args:
        target_batches: batches, from 0, after which a sample is taken in every epoch.  Samples are also taken at the
            beginning and the end of each epoch.
        update_freq: when `logs` of batches get the values: "epoch" (never), "batch", or every so many batches.  Those
            of epochs always do.
        devices: "auto": host and all GPUs of the back end; or a list of names, such as ["cpu", "GPU:0"].
        record: a file for a recording, which `snug report` shows, also if this process gets killed.
        overwrite: replace that file if it exists.  Otherwise FileExistsError says so before the first step.

    After the training: `memory_usage` and `labels` (a bar per sample), `peak`, `peaks`, `samples`, `plot()`, `report()`.
    """

    def __init__(self, target_batches: Optional[Iterable[int]] = None, update_freq: Union[str, int] = "epoch",
                 devices: Union[str, Sequence[str]] = "auto", record: Optional[Path] = None,
                 overwrite: bool = False) -> None:
        super().__init__()
        self.target_batches = _batches(target_batches)
        self.update_freq = _frequency(update_freq)
        self.devices = devices
        self._gpus: List[_gpus.Gpu] = []
        self.samples: List[Sample] = []
        self._whole, self._since = Peak(), Peak()  # from the beginning; from the sample before
        self._epoch = 0
        self.record, self.overwrite = record, overwrite
        self._recorder: Optional[Recorder] = None
        self._last_batch = 0.0

    # ---- what was measured ----

    @property
    def device(self) -> str:
        """The device that `memory_usage` and `peak` tell of: the first GPU, or the host where there is none."""
        return self._gpus[0].name if self._gpus else HOST

    @property
    def labels(self) -> List[str]:
        """What each sample is: 'epoch 1 begin', 'epoch 1 batch 5', 'epoch 1 end'."""
        return [sample.label for sample in self.samples]

    @property
    def memory_usage(self) -> List[int]:
        """The peak of `device` at each sample, in bytes."""
        return [sample.peak[self.device] for sample in self.samples]

    @property
    def peaks(self) -> Dict[str, int]:
        """The most of the whole training, by device, in bytes; empty before it."""
        if not self._whole.start:
            return {}
        return {HOST: self._whole.peak, **{gpu.name: max([s.peak[gpu.name] for s in self.samples] or [0])
                                           for gpu in self._gpus}}

    @property
    def peak(self) -> Optional[int]:
        """The most of the whole training on `device`, in bytes; None before it."""
        return self.peaks.get(self.device)

    # ---- hooks of Keras ----

    def on_train_begin(self, logs: Optional[dict] = None) -> None:
        if self.record is not None:
            refuse_existing(self.record, self.overwrite)
        self._end_scopes()
        self._gpus = _chosen(self.devices)
        for gpu in self._gpus:
            if gpu.reset:
                gpu.reset()
        self.samples = []
        self._whole = Peak().__enter__()
        self._since = Peak().__enter__()
        if self.record is not None:
            self._recorder = Recorder(self.record, self.model.name if self.model is not None else "", self.overwrite)

    def on_epoch_begin(self, epoch: int, logs: Optional[dict] = None) -> None:
        self._epoch = epoch
        self._sample("epoch_begin", f"epoch {epoch + 1} begin", None)

    def on_train_batch_end(self, batch: int, logs: Optional[dict] = None) -> None:
        if batch in self.target_batches:
            self._sample("target", f"epoch {self._epoch + 1} batch {batch}", batch)
        elif self._recorder is not None and self._recorder.seconds - self._last_batch >= BETWEEN_BATCHES:
            self._write("batch_end", batch)
            self._last_batch = self._recorder.seconds
        if self.update_freq and (batch + 1) % self.update_freq == 0:
            self._tell(logs)

    def on_epoch_end(self, epoch: int, logs: Optional[dict] = None) -> None:
        self._sample("epoch_end", f"epoch {epoch + 1} end", None)
        if self._recorder is not None and logs:  # without memory: that is told by moments
            self._recorder.logs(epoch, {name: float(value) for name, value in logs.items() if _is_number(value)})
        self._tell(logs)

    def on_test_begin(self, logs: Optional[dict] = None) -> None:
        self._write("validation_begin", -1)

    def on_test_end(self, logs: Optional[dict] = None) -> None:
        self._write("validation_end", -1)

    def on_train_end(self, logs: Optional[dict] = None) -> None:
        self._end_scopes()
        if self._recorder is not None:
            epochs = sum(sample.at == "epoch_end" for sample in self.samples)
            self._recorder.close(f"trained {epochs} epoch{'s' if epochs != 1 else ''}", self._whole.peak)
            self._recorder = None

    # ---- measuring ----

    def _end_scopes(self) -> None:
        for scope in (self._since, self._whole):
            if scope.start and scope.end is None:
                scope.__exit__()

    def _sample(self, at: str, label: str, batch: Optional[int]) -> None:
        since = self._since
        since.__exit__()
        current, peak = {HOST: since.end or 0}, {HOST: since.peak}
        for gpu in self._gpus:
            info = gpu.read()
            current[gpu.name], peak[gpu.name] = info["current"], info["peak"]
        self.samples.append(Sample(label, at, self._epoch, batch, current, peak))
        since.__enter__()
        self._write(at, -1 if batch is None else batch)

    def _write(self, at: str, batch: int) -> None:
        """A moment of the recording, if there is one."""
        if self._recorder is None:
            return
        on_gpus = [gpu.read() for gpu in self._gpus]
        self._recorder.moment(at, self._epoch, batch, resident=figures().resident, peak=self._whole.peak,
                              device=sum(info["current"] for info in on_gpus),
                              device_peak=sum(info["peak"] for info in on_gpus))

    def _tell(self, logs: Optional[dict]) -> None:
        """Floats, as all values of logs are: an integer this large is too much for some who read them."""
        if logs is None:
            return
        logs["memory"] = Bytes(figures().resident)
        logs["peak_memory"] = Bytes(self._whole.peak)
        for i, gpu in enumerate(self._gpus):
            info = gpu.read()
            which = f"_{i}" if len(self._gpus) > 1 else ""
            logs["gpu_memory" + which], logs["peak_gpu_memory" + which] = Bytes(info["current"]), Bytes(info["peak"])

    # ---- showing ----

    def plot(self, ax: Any = None) -> Any:
        """Draw a bar per sample with matplotlib; returns the axes."""
        ax = ax or _pyplot().subplots(figsize=(max(6.0, 0.4 * len(self.samples)), 4.0))[1]
        ax.bar(range(len(self.samples)), [value / 2**20 for value in self.memory_usage])
        ax.set_xticks(range(len(self.samples)), self.labels, rotation=45, ha="right")
        ax.set_ylabel("MiB")
        ax.set_title(f"Peak memory of {self.device}: {text(self.peak or 0)}")
        return ax

    def report(self) -> str:
        """The peak in words, and a line per sample."""
        if not self.samples:
            return "No training was measured yet."
        peaks = ", ".join(f"{text(most)} ({device})" for device, most in self.peaks.items())
        top = max(self.samples, key=lambda sample: sample.peak[self.device])
        width = max(len(label) for label in self.labels)
        lines = [f"{sample.label:<{width}}  " + "  ".join(
            f"{device} {text(sample.current[device])}, peak {text(sample.peak[device])}" for device in sample.current)
            for sample in self.samples]
        return "\n".join([f"Peak memory: {peaks}, highest before: {top.label}", *lines])

    def __str__(self) -> str:
        return self.report()


def plot_peaks(monitors: Dict[str, MemoryMonitor], ax: Any = None) -> Any:
    """Compare trainings: a bar with the peak of each, by name; returns the axes of matplotlib."""
    ax = ax or _pyplot().subplots()[1]
    bars = ax.bar(list(monitors), [(monitor.peak or 0) / 2**20 for monitor in monitors.values()])
    ax.bar_label(bars, [text(monitor.peak or 0) for monitor in monitors.values()])
    ax.set_ylabel("peak, MiB")
    return ax


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise ImportError("plots are drawn by matplotlib, which is not installed: pip install matplotlib; "
                          "report() gives the figures as text") from None
    return pyplot


# ---- what was asked for ----


def _batches(target_batches: Optional[Iterable[int]]) -> frozenset:
    if target_batches is None:
        return frozenset()
    try:
        batches = list(target_batches)
    except TypeError:
        raise TypeError(f"target_batches is {target_batches!r}: it is a list of batches, such as [5, 10, 25]") from None
    for batch in batches:
        if isinstance(batch, bool) or not hasattr(batch, "__index__") or batch < 0:
            raise ValueError(f"target_batches has {batch!r}: batches are whole numbers from 0")
    return frozenset(int(batch) for batch in batches)


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__")


def _frequency(update_freq: Union[str, int]) -> int:
    """Batches between two that are told; 0: none is."""
    if update_freq in ("epoch", "batch"):
        return 1 if update_freq == "batch" else 0
    if isinstance(update_freq, bool) or not isinstance(update_freq, int) or update_freq < 1:
        raise ValueError(f"update_freq is {update_freq!r}: it is 'epoch', 'batch' or a number of batches from 1")
    return update_freq


def _chosen(devices: Union[str, Sequence[str]]) -> List[_gpus.Gpu]:
    """The GPUs that are asked for; the host is always measured."""
    there = _gpus.of(keras.backend.backend())
    if devices == "auto":
        return there
    names = [devices] if isinstance(devices, str) else list(devices)
    return [_gpus.find(name, there) for name in names if _gpus.canonical(name) != "cpu"]
