"""The small faults that can be planted in a C++ file: which lines they fit, and what the line becomes."""

import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lint"))
from sources import NOT_CODE  # noqa: E402

Fault = collections.namedtuple("Fault", "path line before after")

# What to find in a line, and what to put in its place; one fault for each place where it is found.
WORDS = [
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" \+ 1\b", ""),
    (r" - 1\b", ""),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"(?<=[ (])([\w.]+(?:->\w+|\(\))*)(?= \? )", r"!\1"),
    (r"(?<![\w.<'])\d+(?![\w.>'])", lambda found: str(int(found.group()) + 1)),
    (r"(?<!min\()(?<!max\()(?<=\()([\w.]+), ([\w.]+)(?=\))", r"\2, \1"),
    (r"(?<=\bif \()((?:[^()=;]|[<>!=]=|\((?:[^()]|\([^()]*\))*\))+)(?=\))", r"!(\1)"),
    (r"(?<=\breturn )([^;{}]*(?: [<>!=]=? | && | \|\| |\.empty\(\)|\.contains\()[^;{}]*)(?=;)", r"!(\1)"),
]
# Lines that can be left out: a call, an assignment, an early return.
STATEMENT = re.compile(r"\s+(\+\+|--)?[\w:]+(\.|->|::|\[.*\]|\(.*\)|\w)*( [-+|]?= .*|\(.*\))?;\s*$")
EARLY = re.compile(r"\s+((if \(.*\) )?(return\b.*|continue|break)|if \(.*\) [^{}]*);\s*$")
# Behind a line that ends so, a new statement begins.
BEGINS = re.compile(r"([;{}]|:)\s*$|^\s*$")
NO_CODE = re.compile(r"\s*(#|using |namespace |static_assert|case |default:|template |constexpr )")


def blanked(text):
    """C++ whose strings and comments are filled up, so that nothing is found in them; columns stay."""
    def fill(match):
        found = match.group()
        filler = " " if found.startswith("/") else '"'
        return re.sub(r"[^\n]", filler, found)

    return NOT_CODE.sub(fill, text)


def is_last_return(lines, at):
    """The return at the end of a function cannot be left out."""
    return at + 1 < len(lines) and lines[at + 1].startswith("}")


def faults_of_line(path, lines, code, at):
    line, shown = lines[at], code[at]
    if not shown.strip() or NO_CODE.match(shown):
        return
    for pattern, becomes in WORDS:
        for found in re.finditer(pattern, shown):
            # What the pattern keeps is taken from the line, not from its blanked form.
            if isinstance(becomes, str) and "\\1" in becomes:
                kept = [line[slice(*found.span(n))] for n in range(1, found.re.groups + 1)]
                new = re.sub(r"\\(\d)", lambda group: kept[int(group.group(1)) - 1], becomes)
            else:
                new = becomes(found) if callable(becomes) else becomes
            yield Fault(path, at + 1, line, line[: found.start()] + new + line[found.end() :])
    before = code[at - 1] if at > 0 else ""
    is_return = EARLY.match(shown) and not is_last_return(code, at)
    if BEGINS.search(before) and (is_return or STATEMENT.match(shown)):
        yield Fault(path, at + 1, line, "")


def faults_of(path, text):
    """Every fault that could be planted in a file, by line."""
    lines, code = text.split("\n"), blanked(text).split("\n")
    found = [[each for each in faults_of_line(path, lines, code, at) if each.after != each.before] for at in range(1, len(lines))]
    return [each for each in found if each]


def words_of(fault):
    """The fault in one line: before → after."""
    return f"{fault.before.strip()} → {fault.after.strip() or '(dropped)'}"
