"""sbom.py VERSION COMMIT ARCHITECTURE LINKED FILE: writes a CycloneDX SBOM of the static program.

LINKED is the linked-libraries.txt that packaging/static/libraries has made: KIND PACKAGE VERSION LICENCE in each line.
ARCHITECTURE is the name that Debian has for it.
"""

import json
import os
import pathlib
import sys
import time
import urllib.parse
import uuid

# Where a package holds more than what is linked.
PARTS = {
    "aria2": "libwslay 1.1.1, from the sources of aria2",
    "unicode-data": "tables in RE2",
    "ziglang": "the C++ runtime",
}


def licence(expression):
    if "-WITH-" in expression:
        return [{"expression": expression.replace("-WITH-", " WITH ")}]
    return [{"license": {"id": expression}}]


def component(line, architecture):
    kind, name, version, expression = line.split()
    if kind == "source":
        arch = "source"
    else:  # a package for cross-compilers has libraries of one machine and is for all
        arch = "all" if name.endswith("-cross") else architecture
    reference = f"pkg:deb/debian/{name}@{urllib.parse.quote(version, safe='')}?arch={arch}"
    if kind == "wheel":
        reference = f"pkg:pypi/{name}@{version}"
    about = {"description": PARTS[name]} if name in PARTS else {}
    return {
        "type": "library",
        "bom-ref": reference,
        "name": name,
        "version": version,
        **about,
        "licenses": licence(expression),
        "purl": reference,
    }


def document(version, commit, architecture, linked):
    moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "0")))
    components = [component(line, architecture) for line in linked.splitlines()]
    program = f"trainctl@{version}"
    commits = {"commits": [{"uid": commit}]}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{program} {commit} {linked}')}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", moment),
            "component": {
                "type": "application",
                "bom-ref": program,
                "name": "trainctl",
                "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                **({"pedigree": commits} if commit else {}),
            },
        },
        "components": components,
        "dependencies": [{"ref": program, "dependsOn": [each["bom-ref"] for each in components]}],
    }


def main(version, commit, architecture, linked, file):
    text = json.dumps(document(version, commit, architecture, pathlib.Path(linked).read_text()), indent=2)
    pathlib.Path(file).write_text(text + "\n")


main(*sys.argv[1:])
