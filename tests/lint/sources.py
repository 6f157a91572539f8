"""The files of the tree that the lints look at, and C++ text without comments and strings."""

import os
import re

SKIPPED_DIRECTORIES = {".git", "build", "__pycache__", "node_modules", ".vscode", ".idea"}


def all_files(root):
    """Every file below root as a path relative to it, in order."""
    found = []
    for directory, subdirectories, names in os.walk(root):
        subdirectories[:] = sorted(set(subdirectories) - SKIPPED_DIRECTORIES)
        found += [os.path.relpath(os.path.join(directory, name), root) for name in sorted(names)]
    return found


def cpp_files(root):
    return [path for path in all_files(root) if path.endswith((".cpp", ".h"))]


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def is_script(root, path):
    """True for files without an extension that name their interpreter."""
    if "." in os.path.basename(path):
        return False
    with open(os.path.join(root, path), "rb") as file:
        return file.read(2) == b"#!"


NOT_CODE = re.compile(
    r"""
      R"(?P<mark>[^()\s\\]{0,16})\((?:.*?)\)(?P=mark)"   # raw string
    | "(?:\\.|[^"\\\n])*"                                # string
    | (?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'                # character, not a digit separator
    | //[^\n]*
    | /\*.*?\*/
    """,
    re.VERBOSE | re.DOTALL,
)


def code_only(text):
    """C++ with comments, strings and characters blanked out; line numbers stay."""
    return NOT_CODE.sub(lambda match: '""' + "\n" * match.group().count("\n"), text)


# Of an include, its opening bracket and its path; of a type, the name that begins its definition at the start of a line.
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
TYPE = re.compile(r"^(?:enum class|enum|struct|class) (\w+)(?= [:{]| : | final)", re.MULTILINE)


def included_path(name):
    """The path of an include of ours as it is written: below src/, or cli/."""
    return name if name.startswith("cli/") else "src/" + name


def line_of(text, position):
    return text.count("\n", 0, position) + 1
