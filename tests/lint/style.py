"""What every file looks like: a first sentence, a size, the formatter's layout."""

import os
import re
import subprocess

from sources import all_files, cpp_files, is_script, read

LINE_LIMIT = 300
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
        if has_comment(root, path) and not re.match(r"\S.{8,}?[.:;]", first_comment(path, read(root, path))):
            complaints.append(f"{path}:1: does not begin with a sentence saying what it is for")
    return complaints


def allowed_long(root):
    """Path → reason, from tests/lint/long_files.txt."""
    allowed = {}
    path = "tests/lint/long_files.txt"
    if os.path.exists(os.path.join(root, path)):
        for line in read(root, path).splitlines():
            if line.strip() and not line.startswith("#"):
                name, _, reason = line.partition(" ")
                allowed[name] = reason.strip()
    return allowed


def check_size(root):
    allowed = allowed_long(root)
    complaints = [f"tests/lint/long_files.txt: {path} has no reason" for path, reason in allowed.items() if not reason]
    for path in all_files(root):
        if not has_comment(root, path):
            continue
        lines = read(root, path).count("\n")
        if lines > LINE_LIMIT and path not in allowed:
            complaints.append(f"{path}: {lines} lines, more than {LINE_LIMIT}: split it by concept")
        if lines <= LINE_LIMIT and path in allowed:
            complaints.append(f"tests/lint/long_files.txt: {path} is short now: take it off the list")
    missing = [path for path in allowed if not os.path.exists(os.path.join(root, path))]
    return complaints + [f"tests/lint/long_files.txt: {path} does not exist" for path in missing]


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
