"""The small faults that can be planted in a C++ file, each as a statement that is healthy until its number is chosen."""

import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lint"))
from sources import NOT_CODE  # noqa: E402

# `line` counts from 1; the statement takes `lines` lines. `switched` has both forms, with SWITCH where the choice is made.
Fault = collections.namedtuple("Fault", "path line lines before after switched")
SWITCH = "\0"

# Patterns, and what stands in their place; one fault for each place that fits.
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
# Statements that can be left out: a call, an assignment, an early return.
STATEMENT = re.compile(r"(\+\+|--)?[\w:]+(\.|->|::|\[.*\]|\(.*\)|\w)*( [-+|]?= .*|\(.*\))?;$")
EARLY = re.compile(r"((if \(.*\) )?(return\b.*|continue|break)|if \(.*\) [^{}]*);$")
# Behind a line that ends so, a new statement begins.
BEGINS = re.compile(r"([;{}]|:)\s*$|^\s*$")
NO_CODE = re.compile(r"(#|TRY_ASSIGN|using |namespace |static_assert|case |default:|template |constexpr |struct |class |enum |static constexpr |friend )")
# `if (`, `else if (`, `while (` with a block; what is before the condition, and the condition.
BLOCK = re.compile(r"((?:\} )?(?:else )?(?:if|while) \()(.*)(\) \{)$")
# A name with a type and a value; what is before the value.
DECLARED = re.compile(r"(?!return\b|throw\b|if\b|for\b|else\b)[\w:<>,&*\[\] ]*[\w>&*\]] [&*\w\[\], ]+ = ")
# A name with a type, made without `=`.
MADE = re.compile(r"(?!return\b|throw\b|if\b|for\b|else\b|delete\b)[\w:<>,&* ]*[\w>&*] [&*]?\w+[({;]")
LONGEST = 6  # lines of a statement


def blanked(text):
    """C++ whose strings and comments are filled up, so that nothing is found in them; columns stay."""
    def fill(match):
        found = match.group()
        filler = " " if found.startswith("/") else '"'
        return re.sub(r"[^\n]", filler, found)

    return NOT_CODE.sub(fill, text)


def statements_of(text):
    """Statements that begin and end with a line, and heads of blocks: line, number of lines, text and blanked text, as one line."""
    lines, code = text.split("\n"), blanked(text).split("\n")
    at = 1
    while at < len(lines):
        begin, at = at, at + 1
        if not code[begin].strip() or not BEGINS.search(code[begin - 1]):
            continue
        end = begin
        while not re.search(r"[;{}]\s*$", code[end]) and end + 1 < len(lines) and end - begin < LONGEST:
            end += 1
        whole = range(begin, end + 1)
        if any(len(lines[n].rstrip()) != len(code[n].rstrip()) for n in whole):
            continue  # a comment would hide what follows it
        shown = " ".join(code[n].strip() for n in whole)
        if NO_CODE.match(shown) or shown.count("(") != shown.count(")"):
            continue
        at = end + 1
        is_last_return = end + 1 < len(lines) and code[end + 1].startswith("}")
        yield begin + 1, len(whole), " ".join(lines[n].strip() for n in whole), shown, is_last_return


def places_of(text, code):
    """Each place of a statement where a fault fits: from, to, and what would stand there."""
    for pattern, becomes in WORDS:
        for found in re.finditer(pattern, code):
            # The part that the pattern keeps is taken from the text, not from its blanked form.
            if isinstance(becomes, str) and "\\1" in becomes:
                kept = [text[slice(*found.span(n))] for n in range(1, found.re.groups + 1)]
                new = re.sub(r"\\(\d)", lambda group: kept[int(group.group(1)) - 1], becomes)
            else:
                new = becomes(found) if callable(becomes) else becomes
            yield found.start(), found.end(), new


def switched(text, code, start, end, new):
    """The statement with both forms, or None where it cannot have both."""
    def both(first, last, wrap):
        healthy, faulty = text[first:last], text[first:start] + new + text[end:last]
        return f"{text[:first]}({SWITCH} ? {wrap}({faulty}) : {wrap}({healthy})){text[last:]}"

    block = BLOCK.match(code)
    if block:
        first, last = block.span(2)
        first = max(first, code.rfind("; ", first, last) + 2)
        is_condition = first <= start and end <= last and " = " not in code[first:last]
        return both(first, last, "static_cast<bool>") if is_condition else None
    if not code.endswith(";") or code.count("{") != code.count("}") or code.startswith(("}", "{", "for ")):
        return None
    declared = DECLARED.match(code)
    if declared:
        first, last = declared.end(), len(code) - 1
        return both(first, last, "") if first <= start and code[first] not in "{[" else None
    if MADE.match(code):
        return None
    return f"if ({SWITCH}) {{ {text[:start] + new + text[end:]} }} else {{ {text} }}"


def faults_of_statement(path, line, lines, text, code, is_last_return):
    for start, end, new in places_of(text, code):
        after = text[:start] + new + text[end:]
        form = switched(text, code, start, end, new)
        if form and after != text:
            yield Fault(path, line, lines, text, after, form)
    is_early = EARLY.match(code) and not is_last_return
    if is_early or (STATEMENT.match(code) and not MADE.match(code)):
        yield Fault(path, line, lines, text, "", f"if (!{SWITCH}) {{ {text} }}")


def faults_of(path, text):
    """Every fault that could be planted in a file, by statement."""
    found = [list(faults_of_statement(path, *statement)) for statement in statements_of(text)]
    return [each for each in found if each]


def words_of(fault):
    """The fault in one line: before → after."""
    return f"{fault.before} → {fault.after or '(dropped)'}"
