"""Golden cases can be read: no line of what a person writes is too long."""

import glob
import os
import re

LIMIT = 200
MARK = re.compile(r"^-- (.+) --$")

# What the program prints, byte for byte.
OUTPUTS = ("stdout", "stderr", "written/", "disk-after/")


def written_lines(root, path):
    """(number, line) of a case or a world without the program's output."""
    section = ""
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file.read().split("\n"), 1):
            match = MARK.match(line)
            section = match[1] if match else section
            if not section.startswith(OUTPUTS):
                yield number, line


def check_lines(root):
    paths = [path for pattern in ("tests/cases/*/*.case", "tests/cases/*/*.yaml")
             for path in sorted(glob.glob(pattern, root_dir=root))]
    complaints = [f"{path}:{number}: {len(line)} characters, more than {LIMIT}: break the line"
                  for path in paths for number, line in written_lines(root, path) if len(line) > LIMIT]
    return complaints if paths else ["tests/cases: there are no cases"]
