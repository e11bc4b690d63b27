"""keras.callbacks.BackupAndRestore, done by the library: a fit that was killed goes on where it stood, bit for bit."""
from __future__ import annotations

import random
from ctypes import byref, c_int, pointer
from os import fsencode
from typing import Any, List, Optional

from . import _types as t
from ._library import library
from ._session import Session


def is_backup(callback: Any) -> bool:
    import keras

    return isinstance(callback, keras.callbacks.BackupAndRestore)


def seed_for(callbacks: List[Any]) -> int:
    """What a fit draws its random numbers from: with a backup, the same in the process that goes on with it."""
    if not any(map(is_backup, callbacks)):
        return random.getrandbits(63)
    from keras.src.utils import rng_utils

    return rng_utils.get_random_seed() or 0


class Backup:
    """The library's callbacks in the place of Keras's: `with backup_of(...) as backup`.  `structs` has one for a fit, or none
    if there was none.

    interrupt: not 0 once the fit is to end after its batch, which is kept then.
    """

    def __init__(self, session: Session, callback: Any, interrupt: c_int) -> None:
        self._session, self._removes = session, callback is not None and callback.delete_checkpoint
        self.structs: List[t.Callback] = []
        if callback is None:
            return
        struct = t.Callback()
        self._target = t.CallbackTarget(path=fsencode(callback.backup_dir), interrupted=pointer(interrupt))
        config = f"save_freq={callback.save_freq},delete_checkpoint=false"
        session.check(library().snug_callback_create(session.pointer, b"BackupAndRestore", config.encode(),
                                                     byref(self._target), byref(struct)))
        self.structs.append(struct)

    def trained(self) -> None:
        """The model has what was trained: the backup is not needed any more."""
        if self._removes:
            self._session.check(library().snug_backup_remove(byref(self.structs[0])))

    def __enter__(self) -> "Backup":
        return self

    def __exit__(self, *_: object) -> None:
        for struct in self.structs:
            library().snug_callback_destroy(byref(struct))


def backup_of(session: Session, callbacks: List[Any], interrupt: Optional[c_int] = None) -> Backup:
    """What BackupAndRestore among the callbacks comes to."""
    given = [callback for callback in callbacks if is_backup(callback)]
    if len(given) > 1:
        raise ValueError(f"callbacks has {len(given)} BackupAndRestore: one fit has one backup")
    return Backup(session, given[0] if given else None, c_int(0) if interrupt is None else interrupt)
