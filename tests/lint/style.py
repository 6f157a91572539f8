"""What every file looks like: a first sentence, the formatter's layout."""

import os
import re
import subprocess

from sources import all_files, cpp_files, is_script, read

COMMENTED = (".cpp", ".h", ".cmake", ".py", ".sh", ".exp", ".bash", ".fish", ".c", ".go")

# What tools want in the first line, before anything for people.
NOT_YET = ("#!", "#compdef", "# shellcheck ", "//go:build ")


def has_comment(root, path):
    """True for files that must say what they are for; data (cases, module sums, JSON) need not."""
    name = os.path.basename(path)
    if path.startswith("tests/cases/") and not name.startswith("CMakeLists"):
        return name.endswith((".cpp", ".py"))
    return name == "CMakeLists.txt" or name.endswith(COMMENTED) or is_script(root, path)


def first_comment(path, text):
    """The text of the comment a file begins with, behind an interpreter line or a #compdef."""
    mark = r"//+|/\*" if path.endswith((".cpp", ".h", ".c", ".go")) else r"#+"
    lines = text.splitlines()
    while lines and (not lines[0] or lines[0].startswith(NOT_YET)):
        lines = lines[1:]
    if lines and lines[0].lstrip("rR").startswith('"""'):
        return text.split('"""')[1].strip()
    words = []
    for line in lines:
        match = re.match(rf"\s*(?:{mark})\s?(.*)", line)
        if not match or not match.group(1).strip():
            break
        words.append(match.group(1))
    return " ".join(words)


def check_first_sentence(root):
    complaints = []
    for path in all_files(root):
        # A header speaks for its .cpp as well.
        if path.endswith(".cpp") and os.path.exists(os.path.join(root, path.removesuffix("cpp") + "h")):
            continue
        if has_comment(root, path) and not re.match(r"\S.{8,}?[.:;]", first_comment(path, read(root, path))):
            complaints.append(f"{path}:1: does not begin with a sentence saying what it is for")
    return complaints


def check_format(root):
    files = cpp_files(root)
    if not files:
        return []
    done = subprocess.run(
        ["clang-format-14", "--dry-run", "--Werror", "--style=file", *files],
        cwd=root, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    wrong = sorted({line.split(":", 1)[0] for line in done.stderr.splitlines() if "error:" in line})
    if done.returncode != 0 and not wrong:
        return [f"clang-format-14: {done.stderr.strip()}"]
    return [f"{path}: not formatted: run clang-format-14 -i {path}" for path in wrong]
