"""Keras's metrics of a compiled model: its callbacks look through them for what is to rise and what to fall."""
from __future__ import annotations

from typing import Any, Optional, Sequence

from ._arguments import Feed


def build_metrics(model: Any, feed: Optional[Feed], outputs: Sequence[str]) -> None:
    """Make them for these labels, as Keras's own fit does before its first step."""
    import keras

    metrics = getattr(model, "_compile_metrics", None)
    if feed is None or metrics is None or metrics.built:
        return
    labels = [keras.KerasTensor(shape, keras.backend.standardize_dtype(dtype)) for dtype, shape in feed.labels]
    structure = getattr(model, "_outputs_struct", None)
    if structure is None:
        structure = model.outputs[0]
    y = dict(zip(outputs, labels)) if isinstance(structure, dict) else labels if len(labels) > 1 else labels[0]
    metrics.build(y, structure)
