"""Import brings little, and no framework; the command is `python -m snug`."""
import json
import os
import re
import subprocess
import sys
import tempfile
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

    def test_what_there_is_can_be_seen(self):
        done = python("-c", "import snug, sys; help(snug); print(dir(snug)); print('keras' in sys.modules)")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("fit", "plan", "DoesNotFit", "LineReached", "get_memory_info", "Report"):
            self.assertIn(f"'{name}'", done.stdout)
        self.assertIn("Train a Keras model in Snug", done.stdout)
        self.assertTrue(done.stdout.endswith("False\n"), "help imports no framework")

    def test_scopes_show_themselves_in_notebooks(self):
        import snug
        with snug.peak() as scope:
            pass
        self.assertIn("at the most", scope._repr_html_())

    def test_a_library_that_is_not_there_is_said(self):
        done = python("-c", "from snug._library import library; library()", SNUG_LIBRARY="/no/libsnug.so")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("SNUG_LIBRARY", done.stderr)

    def test_a_library_of_another_version_is_refused_with_both_versions(self):
        import snug
        major, minor, patch = snug.__version__.split(".")
        for there, fits in ((f"{major}.{int(minor) + 1}.0", False), (f"{int(major) + 1}.{minor}.0", False),
                            (f"{major}.{minor}.{int(patch) + 1}", True)):
            with tempfile.TemporaryDirectory() as folder, self.subTest(there):
                path = os.path.join(folder, "libsnug.so")
                text = f'const char *snug_version(void) {{ return "{there}"; }}'
                subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-x", "c", "-", "-o", path], input=text,
                               text=True, check=True)
                done = python("-c", "from snug._library import library; library()", SNUG_LIBRARY=path)
                self.assertNotEqual(done.returncode, 0)  # one that fits has no other function
                self.assertEqual(f"is libsnug {there}" in done.stderr, not fits, done.stderr)
                if not fits:
                    for word in (path, there, snug.__version__, "pip install"):
                        self.assertIn(word, done.stderr)

    def test_the_name_of_the_library_has_the_minor_version_below_1(self):
        from snug import _library
        self.assertEqual(_library._interface("0.7.3"), "0.7")
        self.assertEqual(_library._interface("2.7.3"), "2")


WAITS = """
import os
from snug._library import library
if hasattr(library(), "omp_get_max_threads"):
    library().omp_get_max_threads()  # libomp reads its settings with the first call
print(os.environ.get("GOMP_SPINCOUNT"), os.environ.get("KMP_BLOCKTIME"))
"""


def told(setting, **environment):
    """What the OpenMP runtime was told (None where it does not show that), and what the environment holds afterwards."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")}
    done = subprocess.run([sys.executable, "-c", WAITS], capture_output=True, text=True,
                          env={**kept, "OMP_DISPLAY_ENV": "VERBOSE", **environment}, check=True)
    found = re.findall(setting + r" *= *'(\d+)'", done.stderr)
    return int(found[-1]) if found else None, done.stdout.strip()


class ThreadsTest(unittest.TestCase):
    def test_wait_for_microseconds_unless_the_user_says_otherwise(self):
        shown = 0
        for setting, ours in (("GOMP_SPINCOUNT", 1000), ("KMP_BLOCKTIME", 0)):  # libgomp, libomp
            found = told(setting)
            if found[0] is not None:
                shown += 1
                self.assertEqual(found, (ours, "None None"))
                self.assertEqual(told(setting, GOMP_SPINCOUNT="123", KMP_BLOCKTIME="123"), (123, "123 123"))
        if not shown:
            self.skipTest("this OpenMP runtime does not show its settings")


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
