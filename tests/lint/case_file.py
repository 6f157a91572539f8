"""Golden cases as their sections; tests/cases/README.md describes the format."""

import re

SECTION = re.compile(r"^-- (.+?)( \(no newline\))? --$")


def sections(text):
    """Name → content of each section."""
    found = {}
    name, ends_open = None, {}
    for line in text.split("\n")[:-1]:
        match = SECTION.match(line)
        if match:
            name = match[1]
            found[name], ends_open[name] = "", bool(match[2])
        elif name:
            found[name] += line + "\n"
    return {name: content[:-1] if ends_open[name] else content for name, content in found.items()}
