"""How much state a type may have: classes and structs of src/ and cli/."""

import os
import re

from sources import code_only, cpp_files, line_of, read

LIST = "tests/lint/large_types.txt"
MOST_MEMBERS = 15
MOST_FLAGS = 4
NOT_A_MEMBER = re.compile(r"(using|typedef|friend|static|class|struct|enum|template|public|private|protected)\b")


def body_at(code, start):
    """The text between the brace at start and its partner, without what lies in braces within."""
    depth, outer = 0, []
    for place in range(start, len(code)):
        if code[place] == "}":
            depth -= 1
            if depth == 0:
                return "".join(outer)
        if depth == 1 and code[place] not in "{}":
            outer.append(code[place])
        if code[place] == "{":
            depth += 1
            if depth > 1:
                outer.append(";" if re.search(r"\)[^;={}]*$", code[:place]) else "")
    return "".join(outer)


def without_arguments(declaration):
    """A declaration without its template arguments, whose commas and parentheses are no declarators."""
    before = None
    while before != declaration:
        before, declaration = declaration, re.sub(r"<[^<>]*>", "", declaration)
    return declaration


def members(body):
    """The declarations of data members: type and names in one text each."""
    # code_only() has left "" where a comment or a string was.
    for declaration in re.sub(r'""|\b(public|private|protected)\s*:', "", body).split(";"):
        text = without_arguments(declaration).strip()
        if text and "(" not in text and "operator" not in text and not NOT_A_MEMBER.match(text):
            yield text


def sizes(root):
    """For each type its file, line, name, number of data members and number of booleans."""
    for path in cpp_files(root):
        if not path.startswith(("src/", "cli/")):
            continue
        code = code_only(read(root, path))
        for match in re.finditer(r"^[ \t]*(?:class|struct) (\w+)[^;{}()]*\{", code, re.MULTILINE):
            found = [(text, text.count(",") + 1) for text in members(body_at(code, match.end() - 1))]
            flags = sum(count for text, count in found if re.match(r"(mutable )?bool ", text))
            yield path, line_of(code, match.start()), match.group(1), sum(count for _, count in found), flags


def listed(root):
    """PATH NAME → members, booleans and reason, from tests/lint/large_types.txt."""
    path = os.path.join(root, LIST)
    if not os.path.exists(path):
        return {}
    rows = [line.split(None, 4) for line in read(root, LIST).splitlines() if line and not line.startswith("#")]
    return {(row[0], row[1]): (int(row[2]), int(row[3])) for row in rows if len(row) == 5}


def check_members(root):
    complaints = []
    allowed = listed(root)
    for path, line, name, state, flags in sizes(root):
        most_state, most_flags = allowed.pop((path, name), (MOST_MEMBERS, MOST_FLAGS))
        where = f"{path}:{line}: {name}"
        if state > most_state:
            complaints.append(f"{where} has {state} data members, more than {most_state}: split it by concept")
        if flags > most_flags:
            complaints.append(f"{where} has {flags} booleans, more than {most_flags}: name its states")
        if state < most_state > MOST_MEMBERS or flags < most_flags > MOST_FLAGS:
            complaints.append(f"{where} has {state} data members and {flags} booleans: say so in {LIST}, or take it off the list")
    return complaints + [f"{LIST}: {path} has no {name}" for path, name in allowed]
