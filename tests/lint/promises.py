"""docs/security.md names a test for each promise, and each of them is there."""

import glob
import os
import re

from sources import read

PAGE = "docs/security.md"
CASE = re.compile(r"[A-Z]{2}-[0-9]+")


def names_of_unit_tests(root):
    files = glob.glob(os.path.join(root, "tests/**/*_test.cpp"), recursive=True)
    return {name for path in files for name in re.findall(r'TEST_CASE\(\s*"((?:[^"\\]|\\.)*)"', read(root, os.path.relpath(path, root)))}


def ids_of_conformance(root):
    files = glob.glob(os.path.join(root, "tests/conformance/cases/*.yaml"))
    return {one for path in files for one in re.findall(r"^- id: ([A-Z]{2}-[0-9]+)", read(root, os.path.relpath(path, root)), re.MULTILINE)}


def promises(text):
    """(line number, cell of tests) of each row below `| promise | test |`."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line == "| promise | test |":
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("|---"):
            yield number, line.strip("| ").rpartition(" | ")[2]


def is_there(root, test, units, cases):
    if test.startswith('"'):
        return test.strip('"') in units
    if test.startswith("`"):
        return os.path.exists(os.path.join(root, test.strip("`")))
    return CASE.fullmatch(test) is not None and test in cases


def check_promises(root):
    units, cases = names_of_unit_tests(root), ids_of_conformance(root)
    found = list(promises(read(root, PAGE)))
    complaints = [f"{PAGE}:{number}: there is no test {test}" for number, cell in found
                  for test in cell.split("; ") if not is_there(root, test, units, cases)]
    return complaints if found else [f"{PAGE}: promises nothing"]
