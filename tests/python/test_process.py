"""Peaks of the process: they are right, they nest, they survive whoever sets the kernel's mark back."""
import mmap
import unittest
from unittest import mock

import snug
from snug import _process

MIB = 1 << 20


def hold(mib):
    """Take memory from the system, touch it, and give it back."""
    with mmap.mmap(-1, mib * MIB) as block:
        for at in range(0, mib * MIB, 4096):
            block[at] = 1


class PeakTest(unittest.TestCase):
    def test_sees_what_is_gone_at_the_end(self):
        with snug.peak() as p:
            hold(48)
        self.assertTrue(p.exact)
        self.assertGreaterEqual(p.peak - p.start, 47 * MIB)
        self.assertLess(p.peak - p.start, 60 * MIB)
        self.assertLess(p.end - p.start, 12 * MIB)

    def test_nested_scopes_keep_their_own(self):
        with snug.peak() as outer:
            hold(64)
            with snug.peak() as second:
                hold(16)
            with snug.peak() as third:
                hold(32)
        self.assertGreaterEqual(outer.peak - outer.start, 63 * MIB)
        for scope, mib in ((second, 16), (third, 32)):
            self.assertGreaterEqual(scope.peak - scope.start, (mib - 1) * MIB)
            self.assertLess(scope.peak - scope.start, (mib + 10) * MIB)

    def test_scopes_may_end_in_any_order(self):
        first, second = snug.peak().__enter__(), snug.peak().__enter__()
        first.__exit__()
        hold(24)
        second.__exit__()
        self.assertLess(first.peak - first.start, 12 * MIB)
        self.assertGreaterEqual(second.peak - second.start, 23 * MIB)

    def test_is_read_while_it_is_open(self):
        with snug.peak() as p:
            self.assertIsNone(p.end)
            hold(24)
            self.assertGreaterEqual(p.peak - p.start, 23 * MIB)
        self.assertIn("end=", repr(p))

    def test_without_permission_says_that_it_is_not_exact(self):
        hold(96)  # a mark from before, which is not the scope's
        with mock.patch.object(_process, "_CLEAR", "/proc/self/no_such_file"):
            with snug.peak() as p:
                hold(16)
        self.assertFalse(p.exact)
        self.assertLess(p.peak - p.start, 12 * MIB)

    def test_without_permission_a_new_mark_is_exact(self):
        with snug.peak():
            pass  # the mark is low now
        with mock.patch.object(_process, "_CLEAR", "/proc/self/no_such_file"):
            with snug.peak() as p:
                hold(64)
        self.assertTrue(p.exact)
        self.assertGreaterEqual(p.peak - p.start, 60 * MIB)

    def test_fails_where_the_kernel_tells_nothing(self):
        with mock.patch.object(_process, "_STATUS", "/dev/null"):
            with self.assertRaisesRegex(OSError, "VmRSS"):
                snug.peak().__enter__()


class MemoryInfoTest(unittest.TestCase):
    def test_peak_is_reset_to_the_current_value(self):
        hold(64)
        self.assertGreaterEqual(snug.get_memory_info()["peak"] - snug.get_memory_info()["current"], 60 * MIB)
        with snug.peak() as scope:
            hold(32)
            snug.reset_memory_stats("CPU:0")
        info = snug.get_memory_info("cpu")
        self.assertLess(info["peak"] - info["current"], 12 * MIB)
        self.assertGreaterEqual(scope.peak - scope.start, 31 * MIB, "an open scope keeps its own")


if __name__ == "__main__":
    unittest.main()
