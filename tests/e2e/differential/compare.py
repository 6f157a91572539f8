"""compare.py DIR: prints every field in which the recordings DIR/real*.json and DIR/embedded*.json differ, but for
those in differences.txt, and the names of the cases in DIR/differing.

A field differs when no recording of one cluster has what one of the other has: several recordings of a case tell
what is a matter of timing. A line of differences.txt is a pattern (shell style) for CASE/FIELD, two spaces or more,
and the reason; one that matches no difference is an error as well when all cases were recorded, so that the list
never says more than is true.
"""

import fnmatch
import glob
import json
import os
import re
import sys

import cases
import pods
from normal import normalised

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "differences.txt")
SHOWN = 600


def justified():
    """Pattern → what recognises it."""
    found = {}
    with open(LIST, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                parts = re.split(r"  +", line.strip(), maxsplit=1)
                if len(parts) != 2:
                    sys.exit(f"{LIST}:{number}: a pattern without a reason: {line.strip()}")
                # Brackets stand for themselves: fields have them.
                found[parts[0]] = re.compile(fnmatch.translate(parts[0].replace("[", "[[]")), re.DOTALL)
    return found


def recordings(directory, cluster):
    """Case → all that was recorded of it on this cluster."""
    found = {}
    for path in sorted(glob.glob(os.path.join(directory, f"{cluster}*.json"))):
        with open(path, encoding="utf-8") as file:
            for case, lines in normalised(json.load(file)).items():
                found.setdefault(case, []).append(lines)
    return found


def differences(real, embedded):
    """CASE/FIELD with what each side has there; None where there is no such field."""
    for case in sorted(set(real) & set(embedded)):
        for path in sorted({path for lines in real[case] + embedded[case] for path in lines}):
            ours = [lines.get(path) for lines in real[case]]
            theirs = [lines.get(path) for lines in embedded[case]]
            if not set(ours) & set(theirs):
                yield case, path, ours[0], theirs[0]
    for case in sorted(set(real) ^ set(embedded)):
        yield case, "", "recorded" if case in real else None, "recorded" if case in embedded else None


def shown(text):
    return "(none)" if text is None else repr(text)[:SHOWN]


def main():
    directory = sys.argv[1]
    real, embedded = [recordings(directory, cluster) for cluster in ("real", "embedded")]
    reasons = justified()
    used, explained, differing = set(), 0, {}
    for case, path, ours, theirs in differences(real, embedded):
        place = f"{case}/{path}"
        matches = [pattern for pattern, regex in reasons.items() if regex.match(place)]
        used.update(matches)
        if matches:
            explained += 1
            continue
        differing[case] = differing.get(case, 0) + 1
        print(f"{place}\n  real:     {shown(ours)}\n  embedded: {shown(theirs)}")
    whole = real.keys() >= {case["name"] for case in cases.ALL + pods.ALL} | {"requests"}
    unused = [pattern for pattern in reasons if whole and pattern not in used]
    for pattern in unused:
        print(f"{LIST}: matches no difference: {pattern}")
    with open(os.path.join(directory, "differing"), "w", encoding="utf-8") as file:
        file.writelines(f"{case}\n" for case in differing)
    print(f"{len(set(real) | set(embedded))} cases: {sum(differing.values())} differences in {len(differing)} of them, "
          f"{explained} justified by {len(used)} of {len(reasons)} lines", file=sys.stderr)
    return 1 if differing or unused else 0


if __name__ == "__main__":
    sys.exit(main())
