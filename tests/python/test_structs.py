"""The structs and numbers of snug/_types.py are those of the headers: a C compiler is asked."""
import ctypes
import os
import re
import subprocess
import tempfile
import unittest

from snug import _library, _types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def c_name(python_name):
    return "snug_" + re.sub(r"(?<!^)(?=[A-Z])", "_", python_name).lower()


def structs():
    return {name: cls for name, cls in vars(_types).items()
            if isinstance(cls, type) and issubclass(cls, ctypes.Structure) and cls is not ctypes.Structure}


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
        text = "#include <snug/snug.h>\n" + "".join(f'_Static_assert({c}, "{c}");\n' for c in claims())
        self.assertGreater(text.count("\n"), 100)
        with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
            source.write(text)
            source.flush()
            done = subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-fsyntax-only", "-I",
                                   os.path.join(ROOT, "include"), source.name], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_functions_are_there_and_take_as_many_arguments(self):
        headers = ""
        for name in sorted(os.listdir(os.path.join(ROOT, "include", "snug"))):
            with open(os.path.join(ROOT, "include", "snug", name)) as f:
                headers += re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        _library.library()
        for name, (_, arguments) in _library._FUNCTIONS.items():
            found = re.search(rf"\b{name}\(([^)]*)\)", headers)
            self.assertTrue(found, name)
            parameters = [] if found[1].strip() == "void" else found[1].split(",")
            self.assertEqual(len(parameters), len(arguments), name)


if __name__ == "__main__":
    unittest.main()
