"""Compares what trainctl printed with what the replicas wrote: every line once, in order, and a notice for each missing one."""
import collections
import dataclasses
import json
import re

PRINTED = re.compile(r"\[(?P<replica>[a-z]+-\d+)\] (?P<time>\S+) (?P<line>.*)")
GAP = re.compile(r"(?:warning: log of (?P<unread>[^\s:]+): |possible gap in the log of (?P<pod>[^\s:]+)[: ]|the log of (?P<late>\S+) begins )(?P<why>.*)")
# The kubelet's text in the answer when the log was deleted while it was opened.
LOG_GONE = ("failed to try resolving symlinks", "unable to retrieve container logs", "rpc error: code = NotFound")
# The form of a program's line: "POD RUN NUMBER LENGTH xxx".
END_OF_LINE = re.compile(r"(?:(?:(?:[a-z0-9-]* )?\d* )?\d* )?\d* x*|x*")
# The log of a killed program may be longer than its last count.
SLACK = 50


@dataclasses.dataclass
class Line:
    attempt: int  # 0: not reported
    run: int
    number: int  # 0: this is no line of a program
    text: str


@dataclasses.dataclass
class Findings:
    complaints: list
    lines: int = 0  # written
    repeated: int = 0  # came a second time, or too late
    lost: int = 0  # though they need not be
    missing: int = 0  # and allowed to be, with a word
    unsure: int = 0  # gaps reported of logs that were deleted before their end was confirmed
    swapped: int = 0  # restarts reported as such whose first lines came under the run before


def parse(pod, attempt, text):
    words = text.split(" ")
    if len(words) == 5 and words[0] == pod and all(word.isdigit() for word in words[1:4]) and words[4] == "x" * int(words[3]):
        return Line(attempt, int(words[1]), int(words[2]), text)
    return Line(attempt, 0, 0, text)


def read_output(output, is_json, prefix, findings):
    """replica → its lines in the order printed."""
    lines = collections.defaultdict(list)
    for text in output.decode(errors="replace").split("\n")[:-1]:
        if is_json:
            record = json.loads(text)
            lines[record["replica"]].append(parse(prefix + record["replica"], record["attempt"], record["line"]))
        elif match := PRINTED.fullmatch(text):
            lines[match["replica"]].append(parse(prefix + match["replica"], 0, match["line"]))
        else:
            findings.complaints.append(f"a line of nobody: {text[:80]!r}")
    return lines


def is_begin_of_next(line, before, pod):
    """What is left of a line whose writer was killed in its midst."""
    return before is not None and f"{pod} {before.run} {before.number + 1} ".startswith(line.text[:len(f'{pod} {before.run} {before.number + 1} ')])


def is_end_of_dropped(line, before, replica):
    """What is left of a line whose first record the node has rotated away."""
    return before is not None and replica.rotated and END_OF_LINE.fullmatch(line.text)


def runs_of(replica, printed, swapped, findings):
    """run → its lines, each after the one before it."""
    runs = collections.defaultdict(list)
    newest, before = 0, None
    for line in printed:
        if line.number == 0:
            if not is_begin_of_next(line, before, replica.pod) and not is_end_of_dropped(line, before, replica):
                findings.complaints.append(f"{replica.name}: not a line of its program, after {before and (before.run, before.number)}: {line.text[:60]!r}")
            continue
        again = before is not None and line.run == before.run and line.number == before.number + 1
        before = line
        if line.run < newest and not swapped:
            findings.complaints.append(f"{replica.name}: line {line.number} of run {line.run} came after lines of run {newest}")
        newest = max(newest, line.run)
        known = runs[line.run]
        if known and line.number <= known[-1].number:
            findings.repeated += 1
            if not again:
                findings.complaints.append(f"{replica.name}: run {line.run}: line {line.number} and more came after line {known[-1].number}")
        else:
            known.append(line)
    return runs


def holes_of(lines, count):
    """(first, last, is_tail) of what is missing of a run's lines."""
    at = 1
    for line in lines:
        if line.number > at:
            yield at, line.number - 1, False
        at = line.number + 1
    if at <= count:
        yield at, count, True


def check_run(replica, number, lines, findings):
    """(how many holes it has that may be, whether it has nothing but one, whether its end is missing)."""
    count, state = replica.truth(number)
    findings.lines += count
    if lines and lines[-1].number > count + (SLACK if state == "runs" else 0):
        findings.complaints.append(f"{replica.name}: run {number} wrote {count} lines, line {lines[-1].number} came")
    allowed, has_end = 0, True
    for first, last, is_tail in holes_of(lines, count):
        has_end = not is_tail
        if number in replica.rotated or (is_tail and number in replica.lost):
            allowed += 1
            findings.missing += last - first + 1
        else:
            findings.lost += last - first + 1
            findings.complaints.append(f"{replica.name}: lines {first} to {last} of the {count} of run {number} ({state}) are missing")
    return allowed, not lines, has_end


def count_holes(replica, runs, findings):
    """A run that is missing as a whole goes on with the hole at the end of the one before."""
    holes, ended_before = 0, True
    for number in range(1, replica.runs() + 1):
        found, nothing, ended = check_run(replica, number, runs.get(number, []), findings)
        holes += found - (found > 0 and nothing and not ended_before)
        ended_before = ended
    return holes


def check_attempts(replica, runs, swapped, findings):
    """The runs are counted as they come; one of which nothing came cannot be counted."""
    before = 0
    for number in sorted(runs):
        attempts = {line.attempt for line in runs[number]}
        complete = all(one in runs for one in range(1, number))
        right = len(attempts) == 1 and min(attempts) > before and (min(attempts) == number or (not complete and min(attempts) < number))
        if not right and not swapped:
            findings.complaints.append(f"{replica.name}: run {number} is reported as attempt {sorted(attempts)}")
        before = max(attempts)


def check_replica(replica, printed, talk, is_json, findings):
    swapped = len(re.findall(rf"the log of {replica.pod} before its restart follows", talk))
    findings.swapped += swapped
    runs = runs_of(replica, printed, swapped, findings)
    holes = count_holes(replica, runs, findings)
    findings.complaints += [f"{replica.name}: lines of run {number}, which never was" for number in runs if number > replica.runs()]
    if is_json:
        check_attempts(replica, runs, swapped, findings)
    reported = [match for match in GAP.finditer(talk) if replica.pod in (match["pod"], match["late"], match["unread"])]
    gaps = [match["why"] for match in reported]
    unsure = sum("meanwhile" in match["why"] or match["unread"] is not None for match in reported)
    if replica.rotated:  # a connection may be lost just where one file ends and the next begins
        unsure += sum("rotated" in match["why"] for match in reported)
    if holes > len(gaps):
        findings.complaints.append(f"{replica.name}: {holes} gaps, {len(gaps)} of them reported")
    if len(gaps) - unsure > holes:
        findings.complaints.append(f"{replica.name}: {len(gaps) - unsure} gaps reported as such, but there are {holes}: {gaps}")
    findings.unsure += max(0, min(unsure, len(gaps) - holes))


def check(cluster, status, expected, output, talk, is_json):
    findings = Findings([])
    lines = read_output(output, is_json, "chaos-", findings)
    for replica in cluster.replicas:
        check_replica(replica, lines.pop(replica.name, []), talk, is_json, findings)
    findings.complaints += [f"lines of {replica}, which is none" for replica in lines]
    for word in re.findall(r"the node says: (.*)", talk):
        if not word.startswith(LOG_GONE):
            findings.complaints.append(f"the node is said to have said {word[:60]!r}")
    if status != expected:
        findings.complaints.append(f"exit status {status}, the job's verdict is {expected}; the last words: {talk.splitlines()[-3:]}")
    return findings
