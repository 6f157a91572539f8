"""sbom.py VERSION COMMIT LINKED FILE: writes a CycloneDX SBOM of the static program.

LINKED is the linked-libraries.txt that packaging/static/libraries has made: KIND PACKAGE VERSION LICENCE in each line.
"""

import json
import os
import pathlib
import sys
import time
import urllib.parse
import uuid

# Where a package holds more than what is linked.
PARTS = {"aria2": "libwslay 1.1.1, from the sources of aria2"}


def licence(expression):
    if "-WITH-" in expression:
        return [{"expression": expression.replace("-WITH-", " WITH ")}]
    return [{"license": {"id": expression}}]


def component(line):
    kind, name, version, expression = line.split()
    arch = "source" if kind == "source" else "amd64"
    reference = f"pkg:deb/debian/{name}@{urllib.parse.quote(version, safe='')}?arch={arch}"
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


def document(version, commit, linked):
    moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "0")))
    components = [component(line) for line in linked.splitlines()]
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


def main(version, commit, linked, file):
    text = json.dumps(document(version, commit, pathlib.Path(linked).read_text()), indent=2)
    pathlib.Path(file).write_text(text + "\n")


main(*sys.argv[1:])
