"""test_macho.py CHECK: verifies that check_macho accepts a program for macOS that is as it should be, and names each lack of another."""

import hashlib
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

SYSTEM = "/usr/lib/libSystem.B.dylib"
CPUS = {"arm64": 0x0100000C, "x86_64": 0x01000007}
PAGE = 4096


def dylib(name, kind=0xC):
    text = name.encode() + b"\0"
    text += b"\0" * (-len(text) % 8)
    return struct.pack("<IIIIII", kind, 24 + len(text), 24, 2, 0, 0) + text


def signature(code):
    """An ad-hoc signature: a list of one part, which has the sum of each page."""
    sums = b"".join(hashlib.sha256(code[at : at + PAGE]).digest() for at in range(0, len(code), PAGE))
    facts = struct.pack(">IIIIIIIIIBBBBI", 0xFADE0C02, 44 + len(sums), 0x20400, 2, 44, 44, 0, len(sums) // 32, len(code), 32, 2, 0, 12, 0)
    return struct.pack(">IIIII", 0xFADE0CC0, 20 + len(facts + sums), 1, 0, 20) + facts + sums


def program(machine="arm64", flags=0x200085, oldest=12 << 16, libraries=(dylib(SYSTEM),), signed=True, size=3 * PAGE, calls=b""):
    commands = [struct.pack("<IIIIII", 0x32, 24, 1, oldest, oldest, 0), *libraries]
    if signed:
        commands.append(struct.pack("<IIII", 0x1D, 16, size, 0))
    text = b"".join(commands)
    header = struct.pack("<IIIIIIII", 0xFEEDFACF, CPUS[machine], 0, 2, len(commands), len(text), flags, 0)
    code = (header + text + b"\0" + calls).ljust(size, b"\0")
    return code + signature(code) if signed else code


def changed(data):
    return data[:PAGE] + b"\1" + data[PAGE + 1 :]


CASES = [
    ("arm64", program(), ""),
    ("x86_64", program("x86_64"), ""),
    ("x86_64", program("x86_64", signed=False), ""),
    ("arm64", program("x86_64"), "the machine: arm64"),
    ("arm64", b"\x7fELF" + bytes(60), "the machine: arm64"),
    ("arm64", b"", "the machine: arm64"),
    ("arm64", program(flags=0x85), "position independence (PIE)"),
    ("arm64", program(oldest=13 << 16), "macOS 12.0 as the oldest system: [(1, 851968)]"),
    ("arm64", program(libraries=()), "libSystem as its only library: []"),
    ("arm64", program(libraries=(dylib(SYSTEM), dylib("/opt/a.dylib", 0x80000018))), "libSystem as its only library: "),
    ("arm64", program(calls=b"_exit"), ""),
    ("arm64", program(calls=b"_quick_exit"), "calls that macOS 12.0 can answer: ['_quick_exit']"),
    ("arm64", program(signed=False), "a signature of its bytes"),
    ("arm64", changed(program()), "a signature of its bytes"),
    ("x86_64", changed(program("x86_64")), "a signature of its bytes"),
    ("arm64", program(size=(14 << 20) + PAGE), "at most 14 MiB: "),
]


def main(check):
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "trainctl")
        for machine, data, lack in CASES:
            path.write_bytes(data)
            said = subprocess.run([check, path, machine], stderr=subprocess.PIPE, text=True)
            lines = said.stderr.splitlines()
            expected = [f"trainctl lacks: {lack}"] if lack else []
            if said.returncode != len(expected) or len(lines) != len(expected) or not all(map(str.startswith, lines, expected)):
                print(f"FAILED: it says {lines} with status {said.returncode}, not {expected}", file=sys.stderr)
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
