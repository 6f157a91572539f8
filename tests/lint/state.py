"""No state outside objects: what the compiled layers keep in writable memory."""

import re
import subprocess

from sources import code_only, cpp_files, line_of, read

# Relocated constants (vtables, tables of string_view) are written once by the loader.
WRITABLE = re.compile(r"\s(\.data|\.bss|\.tdata|\.tbss)(?!\.rel\.ro)(\.\S*)?\s")
CONSTANT = re.compile(r"\.data\.rel\.ro")


# A name by the convention for constants; check_constants verifies that it is one. (g++ 12 keeps
# `constexpr std::array k_x = {…}` with a deduced type in writable memory, so the section says nothing.)
NAMED_CONSTANT = re.compile(r"\bk_\w+(\[abi:\w+\])?$")


def check_globals(archives):
    """Every variable of ours in .data or .bss that is no constant: mutable globals and static locals."""
    complaints = set()
    for archive in archives:
        listing = subprocess.run(["objdump", "--syms", "--demangle", archive], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, text=True, check=True).stdout
        for line in listing.splitlines():
            if not WRITABLE.search(line) or CONSTANT.search(line):
                continue
            name = line.split("\t", 1)[-1].split(" ", 1)[-1].strip()
            if "trainctl::" in name and not name.startswith("guard variable") and not NAMED_CONSTANT.search(name):
                complaints.add(f"{archive.rsplit('/', 1)[-1]}: {name} is writable for the whole run of the program")
    return sorted(complaints)


def check_constants(root):
    """A name with k_ is declared const or constexpr."""
    complaints = []
    for path in cpp_files(root):
        code = code_only(read(root, path))
        for match in re.finditer(r"(?:^|[;{}])([^;{}()=]*?[\w>&*\]])\s+(k_\w+)\s*(?:\[[^\]]*\]\s*)*[={;]", code):
            if not re.search(r"\bconst(expr|init const)?\b", match.group(1)) and "return" not in match.group(1):
                complaints.append(f"{path}:{line_of(code, match.start(2))}: {match.group(2)} is not declared const")
    return complaints
