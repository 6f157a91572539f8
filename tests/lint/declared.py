"""Includes that a file needs: fast builds compile a layer as one file, where none is missed."""

import os
import re

from sources import INCLUDE, TYPE, code_only, cpp_files, included_path, line_of, read

CONSTANT = re.compile(r"^(?:inline|extern|constexpr|const) [^;={(]*?\b(k_\w+)", re.MULTILINE)
FUNCTION = re.compile(r"^(?:\[\[\w+\]\] )?[A-Za-z][\w:<>,&* ]*?[ &*](\w+)\(", re.MULTILINE)
# Anywhere: members, parameters of templates, and what is only named in advance.
OTHER = re.compile(r"\b(?:enum class|enum|struct|class|using|typename) (\w+)|\b(?:const|constexpr|static|inline) [^;={(]*?\b(k_\w+)")
USED = re.compile(r"\b(?:(?:kube|net|job|work|view|options|local)::(\w+)|([A-Z]\w*[a-z]\w*|k_\w+))\b|(?<![\w.>:~])([a-z]\w*)\(")
# Members, local functions and parameters, which may have the name of a function elsewhere.
NEAR = re.compile(r"(?:\b(?!return\b|else\b|throw\b|case\b)\w+|>)[&*]* [&*]?(\w+)[({,);]|\b(\w+) = |::(\w+)\(|\b(\w+)\(std::move")

# Headers of the standard library that nlohmann/json.hpp, which every file gets, does not include.
STANDARD = {"deque": "deque", "set": "set", "ifstream": "fstream", "ofstream": "fstream", "thread": "thread", "regex": "regex",
            "variant": "variant", "span": "span", "filesystem": "filesystem", "chrono": "chrono", "list": "list"}


def includes_of(root, path):
    return {f"<{name}>" if bracket == "<" else included_path(name) for bracket, name in INCLUDE.findall(read(root, path))}


def closure(path, graph):
    """The headers that the file gets, itself among them."""
    seen, waiting = {path}, [path]
    while waiting:
        new = graph.get(waiting.pop(), set()) - seen
        seen |= new
        waiting += new
    return seen


def declarations(texts):
    """Each name that headers declare for others, with those headers."""
    found = {}
    for path, code in texts.items():
        if path.endswith(".h"):
            for pattern in (TYPE, CONSTANT, FUNCTION):
                for name in pattern.findall(code):
                    found.setdefault(name, set()).add(path)
    return found


def other_names(code):
    return {name for pattern in (OTHER, NEAR) for names in pattern.findall(code) for name in names if name}


def check_declared(root):
    """A name that headers of ours declare is used where one of them is included, directly or by another."""
    paths = [path for path in cpp_files(root) if path.split(os.sep)[0] in ("src", "cli")]
    texts = {path: code_only(read(root, path)) for path in paths}
    graph = {path: includes_of(root, path) for path in paths}
    declared = declarations(texts)
    others = {path: other_names(code) for path, code in texts.items()}
    complaints = []
    for path, code in texts.items():
        got = closure(path, graph)
        known = set().union(*(others.get(header, set()) for header in got))
        for match in USED.finditer(code):
            name = match.group(match.lastindex)
            homes = declared.get(name, set())
            if homes and name not in known and not homes & got:
                complaints.append(f"{path}:{line_of(code, match.start())}: {name} is declared in {min(homes)}, which is not included")
        for match in re.finditer(r"\bstd::(\w+)", code):
            header = STANDARD.get(match.group(1))
            if header and f"<{header}>" not in got:
                complaints.append(f"{path}:{line_of(code, match.start())}: std::{match.group(1)} needs <{header}>")
    return complaints
