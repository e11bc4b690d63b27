"""Validate JSON files: validate.py SCHEMAS NAME=FILE...  Each file must fit SCHEMAS/NAME.json, every schema there must
have been used, and each must be able to refuse: a member less, a member more, a text for a number."""

import copy
import json
import os
import sys

import jsonschema


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_constant=refuse_constant)


def trimmed(value):
    """The same with lists of three elements at the most."""
    if isinstance(value, dict):
        return {key: trimmed(member) for key, member in value.items()}
    return [trimmed(element) for element in value[:3]] if isinstance(value, list) else value


def spoiled(value):
    """Copies of an object that are not as they should be."""
    for key in value:
        less = copy.copy(value)
        del less[key]
        yield f"without {key}", less
    yield "with one member more", dict(value, unheard_of=1)
    yield "of another version", dict(value, schema=2)


def check(schema, name, path):
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    value = load(path)
    problems = sorted(validator.iter_errors(value), key=str)
    if problems:
        where = "/".join(map(str, problems[0].absolute_path))
        sys.exit(f"{path} is not as {name}.json says: {where}: {problems[0].message[:500]}")
    required = set(schema["required"])
    for how, wrong in spoiled(trimmed(value)):
        is_optional = how.startswith("without ") and how[len("without "):] not in required
        if not is_optional and validator.is_valid(wrong):
            sys.exit(f"{name}.json does not notice {path} {how}")


def main():
    folder, *pairs = sys.argv[1:]
    unused = {name[:-len(".json")] for name in os.listdir(folder)}
    for pair in pairs:
        name, path = pair.split("=", 1)
        check(load(os.path.join(folder, name + ".json")), name, path)
        unused.discard(name)
    if unused:
        sys.exit(f"nothing was validated with {', '.join(sorted(unused))}")


main()
