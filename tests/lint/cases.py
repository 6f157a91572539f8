"""Golden cases can be read: no line that a person writes is too long, and what is shared is written once."""

import collections
import glob
import os
import re

from case_file import SECTION

LINE_LIMIT = 200

# A block is so many lines; at most so many of a hundred lines may stand in one that occurs twice.
BLOCK = 8
REPEATED_LIMIT = 12

# What the program prints, byte for byte.
OUTPUTS = ("refusals", "stdout", "stderr", "written/", "disk-after/")


def lines_of(root, path):
    """(number, section, line) of a file; the section of a world or of objects is ""."""
    section = ""
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file.read().split("\n")[:-1], 1):
            match = SECTION.match(line) if path.endswith(".case") else None
            section = match[1] if match else section
            yield number, "" if match else section, line


def case_files(root):
    return [path for pattern in ("*/*.case", "worlds/*.yaml", "objects/*.yaml")
            for path in sorted(glob.glob("tests/cases/" + pattern, root_dir=root))]


def check_lines(root):
    paths = case_files(root)
    complaints = [f"{path}:{number}: {len(line)} characters, more than {LINE_LIMIT}: break the line"
                  for path in paths for number, section, line in lines_of(root, path)
                  if len(line) > LINE_LIMIT and not section.startswith(OUTPUTS)]
    return complaints if paths else ["tests/cases: there are no cases"]


def servers(root):
    """(path, section) → lines of each scripted server, history, world and file of objects, without comments."""
    found = collections.defaultdict(list)
    for path in case_files(root):
        for _, section, line in lines_of(root, path):
            if section.split("/")[0] in ("world", "server", "history", "") and not SECTION.match(line) and not line.startswith("#"):
                found[path, section].append(line)
    return found


def repeated_lines(files):
    """How many lines there are, and how many of them stand in a block that occurs elsewhere, too."""
    def blocks(lines):
        return (tuple(lines[at:at + BLOCK]) for at in range(len(lines) - BLOCK + 1))
    count = collections.Counter(block for lines in files for block in blocks(lines))
    repeated = 0
    for lines in files:
        starts = [at for at, block in enumerate(blocks(lines)) if count[block] > 1]
        repeated += len({line for at in starts for line in range(at, at + BLOCK)})
    return sum(map(len, files)), repeated


def check_repeated(root):
    total, repeated = repeated_lines(list(servers(root).values()))
    share = 100 * repeated / max(total, 1)
    if share < REPEATED_LIMIT:
        return []
    return [f"tests/cases: {share:.1f} % of the lines of servers stand in blocks that occur twice, the limit is "
            f"{REPEATED_LIMIT} %: name what cases share, in worlds/ or objects/"]


def check_unused(root):
    """Worlds, objects and files that no case, test or other one refers to."""
    used = {line for path in case_files(root) for _, _, line in lines_of(root, path)}
    complaints = [f"{path}: no case has this file: delete it" for path in sorted(glob.glob("tests/cases/files/*", root_dir=root))
                  if "@" + os.path.basename(path) not in used]
    texts = servers(root)
    for path in glob.glob("tests/cases/*.cpp", root_dir=root):
        texts[path, ""] = [line for _, _, line in lines_of(root, path)]
    words = collections.Counter(word for lines in texts.values() for line in lines for word in set(re.findall(r"[\w-]+", line)))
    for (path, _), lines in texts.items():
        if "/worlds/" in path and not words[os.path.basename(path)[:-len(".yaml")]]:
            complaints.append(f"{path}: no case has this world: delete it")
        if "/objects/" in path:
            names = [line.split(":")[0] for line in lines if re.match(r"[\w-]+:", line)]
            complaints += [f"{path}: nothing refers to {name}: delete it" for name in names if words[name] < 2]
    return complaints


def check_cases(root):
    return check_lines(root) + check_repeated(root) + check_unused(root)
