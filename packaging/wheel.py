"""wheel.py VERSION SYSTEM-MACHINE TREE SBOM DIRECTORY: makes a wheel of the program that is installed in TREE.

Standard library only, fixed order and times, so that equal sources give equal bytes.
"""

import base64
import hashlib
import os
import pathlib
import sys
import time
import zipfile

NAME = "trainctl_kubernetes"
# On Linux the program needs no C library of the system, so it keeps the oldest tags of both.
PLATFORMS = {"linux": ("manylinux2014", "musllinux_1_1"), "macos": ("macosx_12_0",)}
CLASSIFIERS = {"linux": "POSIX :: Linux", "macos": "MacOS"}


def metadata(version, system, readme):
    return f"""Metadata-Version: 2.1
Name: trainctl-kubernetes
Version: {version}
Summary: Submit distributed training jobs to Kubernetes and follow them to a verdict
License: Apache-2.0
Requires-Python: >=3.7
Classifier: Environment :: Console
Classifier: Operating System :: {CLASSIFIERS[system]}
Description-Content-Type: text/markdown

{readme}"""


def platforms(system, machine):
    return [f"{name}_{machine}" for name in PLATFORMS[system]]


def wheel_facts(tags):
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in tags)
    return f"Wheel-Version: 1.0\nGenerator: trainctl\nRoot-Is-Purelib: false\n{tags}"


def entries(version, system, tags, tree, sbom):
    """The files of the wheel: path, content, mode."""
    info = f"{NAME}-{version}.dist-info"
    data = f"{NAME}-{version}.data"
    documents = tree / "share/doc/trainctl"
    yield f"{data}/scripts/trainctl", (tree / "bin/trainctl").read_bytes(), 0o755
    # A wheel has no links.
    yield f"{data}/scripts/kubectl-trainctl", b'#!/bin/sh\nexec "$(dirname "$0")/trainctl" "$@"\n', 0o755
    yield f"{data}/scripts/kubectl_complete-trainctl", (tree / "bin/kubectl_complete-trainctl").read_bytes(), 0o755
    for place in ("share/man", "share/bash-completion", "share/zsh", "share/fish"):
        for file in sorted((tree / place).rglob("*")):
            if file.is_file() and not file.is_symlink():
                yield f"{data}/data/{file.relative_to(tree)}", file.read_bytes(), 0o644
    for file in sorted((documents / "licences").iterdir()):
        yield f"{info}/licenses/{file.name}", file.read_bytes(), 0o644
    yield f"{info}/licenses/linked-libraries.txt", (documents / "linked-libraries.txt").read_bytes(), 0o644
    yield f"{info}/sboms/{sbom.name}", sbom.read_bytes(), 0o644
    yield f"{info}/METADATA", metadata(version, system, (documents / "README.md").read_text()).encode(), 0o644
    yield f"{info}/WHEEL", wheel_facts(tags).encode(), 0o644


def record_line(path, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(content)}\n"


def main(version, platform, tree, sbom, directory):
    system, machine = platform.split("-")
    tags = platforms(system, machine)
    target = pathlib.Path(directory) / f"{NAME}-{version}-py3-none-{'.'.join(tags)}.whl"
    moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")))[:6]
    files = list(entries(version, system, tags, pathlib.Path(tree), pathlib.Path(sbom)))
    record = f"{NAME}-{version}.dist-info/RECORD"
    lines = "".join(record_line(path, content) for path, content, _ in files) + f"{record},,\n"
    files.append((record, lines.encode(), 0o644))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for path, content, mode in files:
            entry = zipfile.ZipInfo(path, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, or the mode means nothing
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, content)


main(*sys.argv[1:])
