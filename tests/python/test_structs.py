"""The structs and numbers of snug/_types.py are those of the headers: a C compiler is asked."""
import ctypes
import glob
import os
import random
import re
import subprocess
import tempfile
import unittest

from snug import _library, _size, _types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def c_name(python_name):
    return "snug_" + re.sub(r"(?<!^)(?=[A-Z])", "_", python_name).lower()


def structs():
    return {name: cls for name, cls in vars(_types).items()
            if isinstance(cls, type) and issubclass(cls, ctypes.Structure) and hasattr(cls, "_fields_")}


def claims():
    for name, cls in structs().items():
        c = c_name(name)
        yield f"sizeof({c}) == {ctypes.sizeof(cls)}"
        for field, *_ in cls._fields_:
            member = getattr(cls, field)
            yield f"offsetof({c}, {field}) == {member.offset}"
            yield f"sizeof((({c} *)0)->{field}) == {member.size}"
    for name, value in vars(_types).items():
        if name == "OK" or name.startswith("E_") or name in ("MAX_RANK", "ROWS_UNKNOWN", "WHY_BYTES", "AVAILABLE_TEXT", "RECORD_WHY"):
            yield f"SNUG_{name} == {value}"
    for i, name in enumerate(_types.DTYPES, start=1):
        yield f"SNUG_{name.upper()} == {i}"
    yield f"SNUG_DTYPE_COUNT == {len(_types.DTYPES) + 1}"


class StructsTest(unittest.TestCase):
    def test_are_those_of_the_headers(self):
        text = "#include <snug/tools.h>\n" + "".join(f'_Static_assert({c}, "{c}");\n' for c in claims())
        self.assertGreater(text.count("\n"), 100)
        with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
            source.write(text)
            source.flush()
            done = subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-fsyntax-only", "-I",
                                   os.path.join(ROOT, "include"), source.name], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_functions_are_there_and_take_as_many_arguments(self):
        headers = ""
        for path in sorted(glob.glob(os.path.join(ROOT, "include", "snug", "**", "*.h"), recursive=True)):
            with open(path) as f:
                headers += re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        _library.library()
        for name, (_, arguments) in _library._FUNCTIONS.items():
            found = re.search(rf"\b{name}\(([^)]*)\)", headers)
            self.assertTrue(found, name)
            parameters = [] if found[1].strip() == "void" else found[1].split(",")
            self.assertEqual(len(parameters), len(arguments), name)


def sizes(seed):
    """Whole numbers of every length, and those beside which texts change."""
    rng = random.Random(seed)
    yield from (0, 1, 2**62)
    for unit in (1, 2**10, 2**20, 2**30, 2**40):
        for number in (1, 9.99, 9.995, 10, 99.9, 99.95, 100, 1022, 1023, 1023.5, 1024):
            yield from (max(int(number * unit) + more, 0) for more in (-1, 0, 1))
    yield from (rng.getrandbits(rng.randrange(1, 53)) for _ in range(20000))


class TextTest(unittest.TestCase):
    def test_bytes_are_written_as_the_library_writes_them(self):
        seed = int(os.environ.get("SNUG_TEST_SEED", random.randrange(2**32)))
        write = ctypes.CDLL(_library.library()._name).snug_bytes_text
        write.restype, write.argtypes = ctypes.c_char_p, [ctypes.c_uint64, ctypes.c_char_p]
        out = ctypes.create_string_buffer(32)
        for size in sizes(seed):
            self.assertEqual(_size.text(size), write(size, out).decode(), "%d, seed %d" % (size, seed))

    def test_what_is_told_is_enough(self):
        for size in sizes(1):
            self.assertGreaterEqual(_size.parse(_size.text(size), "told") if size else 0, size)


if __name__ == "__main__":
    unittest.main()
