"""Import brings little, and no framework; the command is `python -m snug`."""
import json
import os
import subprocess
import sys
import unittest

MIB = 1 << 20

MEASURE = """
import json, sys
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
import numpy
before, there = resident(), set(sys.modules)
import snug
print(json.dumps({"bytes": resident() - before, "more": sorted({m.split(".")[0] for m in set(sys.modules) - there})}))
"""


def python(*words, **environment):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env={**os.environ, **environment})


class ImportTest(unittest.TestCase):
    def test_is_small_and_brings_no_framework(self):
        done = python("-c", MEASURE)
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(done.stdout)
        self.assertLess(seen["bytes"], 20 * MIB)
        self.assertFalse({"keras", "tensorflow", "jax", "torch", "h5py", "matplotlib"} & set(seen["more"]))

    def test_unknown_names_are_attribute_errors(self):
        import snug
        with self.assertRaisesRegex(AttributeError, "fitt"):
            snug.fitt

    def test_a_library_that_is_not_there_is_said(self):
        done = python("-c", "from snug._library import library; library()", SNUG_LIBRARY="/no/libsnug.so")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("SNUG_LIBRARY", done.stderr)


class CommandTest(unittest.TestCase):
    def test_is_the_command(self):
        import snug
        done = python("-m", "snug", "--version")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(snug.__version__, done.stdout)

    def test_exit_codes_pass_through(self):
        self.assertEqual(python("-m", "snug", "nonsense").returncode, 2)

    def test_a_command_that_is_not_there_is_said(self):
        done = python("-m", "snug", "--version", SNUG="/no/such/snug")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/no/such/snug", done.stderr)


if __name__ == "__main__":
    unittest.main()
