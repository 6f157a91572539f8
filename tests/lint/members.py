"""How much state a class may have where a mistake loses a line: classes of src/job."""

import re

from sources import code_only, cpp_files, line_of, read

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


def check_members(root):
    complaints = []
    for path in cpp_files(root):
        if not path.startswith("src/job/"):
            continue
        code = code_only(read(root, path))
        for match in re.finditer(r"^[ \t]*class (\w+)[^;{}()]*\{", code, re.MULTILINE):
            found = [(text, text.count(",") + 1) for text in members(body_at(code, match.end() - 1))]
            state = sum(count for _, count in found)
            flags = sum(count for text, count in found if re.match(r"(mutable )?bool ", text))
            where = f"{path}:{line_of(code, match.start())}: {match.group(1)}"
            if state > MOST_MEMBERS:
                complaints.append(f"{where} has {state} data members, more than {MOST_MEMBERS}: split it by concept")
            if flags > MOST_FLAGS:
                complaints.append(f"{where} has {flags} booleans, more than {MOST_FLAGS}: name its states")
    return complaints
