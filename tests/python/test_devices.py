"""GPUs of frameworks, which are made up here; names of devices; limits."""
import sys
import types
import unittest
from unittest import mock

import snug
from snug import _gpus
from snug.memory import settings


def made_up_tensorflow(n):
    """TensorFlow with n GPUs."""
    experimental = types.SimpleNamespace(peak={f"GPU:{i}": 900 + i for i in range(n)})
    experimental.get_memory_info = lambda name: {"current": 500, "peak": experimental.peak[name]}
    experimental.reset_memory_stats = lambda name: experimental.peak.update({name: 500})
    config = types.SimpleNamespace(experimental=experimental, list_logical_devices=lambda kind: [kind] * n)
    return types.SimpleNamespace(config=config)


def made_up_torch(n):
    cuda = types.SimpleNamespace(peak=700, is_available=lambda: n > 0, device_count=lambda: n,
                                 memory_allocated=lambda i: 300 + i, max_memory_allocated=lambda i: cuda.peak)
    cuda.reset_peak_memory_stats = lambda i: setattr(cuda, "peak", 300)
    return types.SimpleNamespace(cuda=cuda)


def made_up_jax(n):
    stats = {"bytes_in_use": 10, "peak_bytes_in_use": 20}
    gpus = [types.SimpleNamespace(platform="gpu", memory_stats=lambda: stats) for _ in range(n)]
    cpu = types.SimpleNamespace(platform="cpu", memory_stats=lambda: None)
    return types.SimpleNamespace(local_devices=lambda: gpus or [cpu])


def loaded(**modules):
    """These frameworks and no others."""
    absent = {name: None for name in ("tensorflow", "torch", "jax")}
    return mock.patch.dict(sys.modules, {**absent, **modules})


class GpuTest(unittest.TestCase):
    def test_each_framework_tells_and_resets(self):
        for modules, current, peak in ((dict(tensorflow=made_up_tensorflow(2)), 500, 901),
                                       (dict(torch=made_up_torch(2)), 301, 700)):
            with loaded(**modules):
                self.assertEqual(snug.get_memory_info("GPU:1"), {"current": current, "peak": peak})
                snug.reset_memory_stats("/device:GPU:1")
                self.assertLess(snug.get_memory_info("cuda:1")["peak"], peak)

    def test_jax_cannot_reset(self):
        with loaded(jax=made_up_jax(1)):
            self.assertEqual(snug.get_memory_info("gpu"), {"current": 10, "peak": 20})
            with self.assertRaisesRegex(NotImplementedError, "JAX"):
                snug.reset_memory_stats("GPU:0")

    def test_no_gpu_is_an_error_and_no_stand_in(self):
        for modules in ({}, dict(tensorflow=made_up_tensorflow(0)), dict(torch=made_up_torch(0)),
                        dict(jax=made_up_jax(0))):
            with loaded(**modules), self.assertRaisesRegex(ValueError, "the devices are cpu"):
                snug.get_memory_info("GPU:0")

    def test_a_gpu_that_is_not_there_names_those_that_are(self):
        with loaded(tensorflow=made_up_tensorflow(2)), self.assertRaisesRegex(ValueError, "cpu, GPU:0, GPU:1"):
            snug.get_memory_info("GPU:7")

    def test_names(self):
        for name in ("cpu", "CPU:0", "host", "/cpu:0", "/physical_device:CPU:0"):
            self.assertEqual(_gpus.canonical(name), "cpu")
        for name in ("GPU:3", "/gpu:3", "cuda:3", "/physical_device:GPU:3"):
            self.assertEqual(_gpus.canonical(name), "GPU:3")
        for name in ("tpu:0", "", "gpu:x", "my gpu"):
            with self.assertRaises(ValueError):
                _gpus.canonical(name)
        with self.assertRaises(TypeError):
            snug.get_memory_info(0)


class SettingsTest(unittest.TestCase):
    def tearDown(self):
        settings.limit, settings.growth, settings.running = None, True, 0

    def test_limit_is_kept(self):
        snug.set_memory_limit("cpu", "1.5GiB")
        self.assertEqual(settings.limit, 3 << 29)
        snug.set_memory_limit("cpu", None)
        self.assertIsNone(settings.limit)

    def test_taking_ahead_needs_a_limit(self):
        with self.assertRaisesRegex(ValueError, "set_memory_limit"):
            snug.set_memory_growth("cpu", False)
        snug.set_memory_limit("cpu", 1 << 20)
        snug.set_memory_growth("cpu", False)
        with self.assertRaisesRegex(ValueError, "set_memory_growth"):
            snug.set_memory_limit("cpu", None)
        self.assertEqual(settings.limit, 1 << 20, "nothing was changed")

    def test_too_late_is_said_and_changes_nothing(self):
        settings.running = 1
        for call in (lambda: snug.set_memory_limit("cpu", "1GiB"), lambda: snug.set_memory_growth("cpu", True)):
            with self.assertRaisesRegex(RuntimeError, "too late"):
                call()
        self.assertIsNone(settings.limit)

    def test_bad_sizes(self):
        for size in ("", "2 GiBs", "-1", "much", "1e3", 0, -5, "9999999999GiB"):
            with self.assertRaises(ValueError, msg=repr(size)):
                snug.set_memory_limit("cpu", size)
        for size in (1.5, True, [1]):
            with self.assertRaises(TypeError, msg=repr(size)):
                snug.set_memory_limit("cpu", size)
        with self.assertRaisesRegex(ValueError, "GPU:0"):
            snug.set_memory_limit("GPU:0", "1GiB")


if __name__ == "__main__":
    unittest.main()
