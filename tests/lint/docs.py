"""Documents that cannot go stale: their paths exist, their tables are what the program prints."""

import glob
import os
import re
import subprocess

from sources import cpp_files, read

DOCUMENTS = ("*.md", "docs/*.md", "templates/*.md", "tests/*.md", "cli/**/*.md", "src/**/*.md")
TOP_LEVEL = r"(?:cli|src|tests|templates|completions|packaging|script|cmake|docs|\.ci)"
PATH = re.compile(rf"(?<![\w./-])(?:\./)?({TOP_LEVEL}/[\w./*{{}},-]*)")
BLOCK = re.compile(r"(<!-- begin: table of (?:each )?([^>]*?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def documents(root):
    found = {path for pattern in DOCUMENTS for path in glob.glob(pattern, root_dir=root, recursive=True)}
    return sorted(found)


def alternatives(path):
    """a/{b,c}.h → a/b.h, a/c.h; NAME and KIND stand for any name."""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [re.sub(r"\b(NAME|KIND)\b", "*", path)]
    before, after = path[:match.start()], path[match.end():]
    return [one for part in match.group(1).split(",") for one in alternatives(before + part + after)]


def added_by_diffs(text):
    """Files that a diff in the document creates: they need not exist yet."""
    return set(re.findall(r"^\+\+\+ b/(\S+)$", text, re.MULTILINE))


def check_paths(root):
    complaints = []
    for name in documents(root):
        text = read(root, name)
        new = added_by_diffs(text)
        for number, line in enumerate(text.splitlines(), 1):
            for match in PATH.finditer(line):
                for path in alternatives(match.group(1).rstrip(".,")):
                    if path not in new and not glob.glob(os.path.join(root, path)):
                        complaints.append(f"{name}:{number}: {path} does not exist")
    return complaints


def check_rooms(root):
    """ARCHITECTURE.md names every folder that holds sources."""
    text = read(root, "ARCHITECTURE.md")
    folders = {os.path.dirname(path) for path in cpp_files(root) if re.match(r"(src|cli)/", path)}
    return [f"ARCHITECTURE.md: does not say what {folder}/ holds" for folder in sorted(folders) if f"{folder}/" not in text]


def check_llms(root):
    """docs/llms.txt lists the pages of docs/README.md, with the same words."""
    listed = read(root, "docs/llms.txt").splitlines()
    pages = re.findall(r"^\| \[([\w-]+\.md)\]\(\1\) \| (.*) \|$", read(root, "docs/README.md"), re.MULTILINE)
    wanted = [f"- [{name}]({name}): {words}" for name, words in pages]
    return [f"docs/llms.txt: lacks the line `{line}`" for line in wanted if line not in listed]


def check_version(root):
    version = re.search(r"project\(trainctl VERSION ([0-9.]+)", read(root, "CMakeLists.txt")).group(1)
    newest = re.search(r"^## \[?([0-9][0-9.]*)", read(root, "CHANGELOG.md"), re.MULTILINE)
    if newest and newest.group(1) == version:
        return []
    found = newest.group(1) if newest else "none"
    return [f"CHANGELOG.md: its newest version is {found}, CMakeLists.txt says {version}"]


def tables(program):
    """The tables that `trainctl __markdown` prints, by the first cell of their header."""
    done = subprocess.run([program, "__markdown"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=30, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"trainctl __markdown exits {done.returncode}: {done.stderr.strip()}")
    found = {}
    for table in done.stdout.strip().split("\n\n"):
        found[table.split("|")[1].strip().replace("`", "")] = table + "\n"
    return found


def refreshed(text, printed):
    """The document with each generated block as the program prints it now."""
    return BLOCK.sub(lambda block: block[1] + printed.get(block[2], "") + block[4], text)


def schemas(program):
    """The schemas of reports by the names of their files; that of a configuration is printed, and in no file."""
    refused = subprocess.run([program, "help", "schema", "?"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=30, check=False).stderr
    names = re.search(r"help schema (\S+)", refused)[1].split("|")
    return {f"docs/schema/{name}.json": subprocess.run([program, "help", "schema", name], stdin=subprocess.DEVNULL,
                                                       capture_output=True, text=True, timeout=30, check=True).stdout
            for name in names if name != "config"}


def check_blocks(root, program):
    """Every table the program prints stands in some document, and as it is printed."""
    complaints = []
    seen = set()
    printed = tables(program)
    for name in documents(root):
        text = read(root, name)
        seen.update(block[1] for block in BLOCK.findall(text))
        if refreshed(text, printed) != text:
            complaints.append(f"{name}: a generated table is not what the program prints: "
                              f"run tests/lint/lint update-docs . {os.path.relpath(program, root)}")
    return complaints + [f"no document has the generated table: {name}" for name in printed if name not in seen]


def check_schemas(root, program):
    return [f"{path} is not what the program prints: run tests/lint/lint update-docs . {os.path.relpath(program, root)}"
            for path, text in schemas(program).items() if read(root, path) != text]


def update_blocks(root, program):
    printed = tables(program)
    for name in documents(root):
        text = read(root, name)
        new = refreshed(text, printed)
        if new != text:
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(new)
            print(f"updated {name}")
    for path, text in schemas(program).items():
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text)
    return []
