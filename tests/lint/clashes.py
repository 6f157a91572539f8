"""Names that hide in one file and meet in another: fast builds compile a layer as one file."""

import os
import re

from sources import TYPE, code_only, cpp_files, line_of, read

HIDDEN = re.compile(r"^namespace \{$(.*?)^\}", re.MULTILINE | re.DOTALL)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{$", re.MULTILINE)
# A constant, or a function with its parameters, at the start of a line.
CONSTANT = re.compile(r"^(?:const|constexpr|static) [^;={(]*?\b(k_\w+)", re.MULTILINE)
FUNCTION = re.compile(r"^[A-Za-z][\w:<>,&* ]*?[ &*](\w+)\(([^()]*)\)(?: const)? \{", re.MULTILINE)


def parameter_types(parameters):
    """Functions of one name do not clash when their parameters differ."""
    return tuple(re.sub(r"(?<=[&*> ])\w+$", "", one.strip()).strip() for one in parameters.split(","))


def hidden_names(code):
    """(name, parameters or None, position) of what the file's unnamed namespaces define."""
    for block in HIDDEN.finditer(code):
        for pattern in (TYPE, CONSTANT):
            for match in pattern.finditer(block.group(1)):
                yield match.group(1), None, block.start(1) + match.start(1)
        for match in FUNCTION.finditer(block.group(1)):
            yield match.group(1), parameter_types(match.group(2)), block.start(1) + match.start(1)


def library_of(path):
    """The files of a library are compiled as one."""
    parts = path.split(os.sep)
    return os.sep.join(parts[:2]) if parts[0] == "src" else parts[0]


def check_clashes(root):
    """A name in an unnamed namespace stands in one file of its layer."""
    first, complaints = {}, []
    for path in cpp_files(root):
        if not path.endswith(".cpp") or path.split(os.sep)[0] not in ("src", "cli"):
            continue
        code = code_only(read(root, path))
        namespaces = tuple(NAMESPACE.findall(code))
        for name, parameters, position in hidden_names(code):
            there = first.setdefault((library_of(path), namespaces[:1], name, parameters), path)
            if there != path:
                complaints.append(f"{path}:{line_of(code, position)}: {name} is in {there}, too, and a layer is compiled "
                                  "as one file: name it after what it is for")
    return complaints
