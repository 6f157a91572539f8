"""Compares the output with what was written: every line once, in order, per container and run."""
import collections
import json
import re

LINE = re.compile(r"\[(?P<replica>[a-z]+-\d+)\] (?P<line>.*)")


def lines_of(output, is_json):
    """replica → [(attempt or None, line)] in the order printed."""
    found = collections.defaultdict(list)
    for text in output.decode().split("\n")[:-1]:
        if is_json:
            record = json.loads(text)
            found[record["replica"]].append((record["attempt"], record["line"]))
        else:
            match = LINE.fullmatch(text)
            found[match["replica"] if match else ""].append((None, match["line"] if match else text))
    return found


def compare(replica, owed, came, early):
    """Complaints of one replica, and how many dropped lines are missing.

    `early`: trainctl reported that lines of a new run came under the number of the one before.
    """
    at = missing = 0
    for attempt, record in owed:
        under = (None, attempt, attempt - 1) if early else (None, attempt)
        if at < len(came) and came[at][1] == record.text and came[at][0] in under:
            at += 1
        elif record.dropped:
            missing += 1
            if at < len(came) and came[at][1] and record.text.startswith(came[at][1]):
                at += 1  # a cut left so much of it
        else:
            return [explain(replica, owed, came, at, attempt, record)], missing
    if at < len(came):
        return [f"{replica}: after the end came {came[at][1][:60]!r}, {len(came) - at} lines too many"], missing
    return [], missing


def by_run(came):
    """Each run's lines together: those of a new one came first, when it answered for the one before."""
    runs, run = [], 0
    for _, line in came:
        words = line.split(" ")
        run = int(words[1]) if len(words) > 2 else run
        runs.append(run)
    return [came[place] for place in sorted(range(len(came)), key=lambda place: runs[place])]


def explain(replica, owed, came, at, attempt, record):
    wanted = collections.Counter(one.text for _, one in owed if not one.dropped)
    allowed = collections.Counter(one.text for _, one in owed)
    printed = collections.Counter(line for _, line in came)
    lost = sum((wanted - printed).values())
    repeated = sum((printed - allowed).values())
    where = f"in place of {attempt}: {record.text[:40]!r} came {came[at][0], came[at][1][:60]}" if at < len(came) else \
        f"{attempt}: {record.text[:40]!r} did not come"
    return f"{replica}: {lost} lost, {repeated} repeated{'' if lost or repeated else ', order or run is wrong'}; {where}"


def complaints(cluster, run, is_json):
    """What does not hold, and the number of lines compared."""
    found, total = [], 0
    came = lines_of(run.stdout, is_json)
    talk = run.stderr.decode(errors="replace")
    for replica, runs in cluster.runs.items():
        owed = [(one.attempt, record) for one in runs for record in one.records]
        total += len(owed)
        printed = came.pop(replica, [])
        early = f"the log of ddp-{replica} before its restart follows" in talk
        wrong, missing = compare(replica, owed, by_run(printed) if early else printed, early)
        found += wrong
        gaps = talk.count(f"possible gap in the log of ddp-{replica} ")
        if missing and not gaps:
            found.append(f"{replica}: {missing} lines that the node dropped are missing without a word")
        # Whether a log that no longer exists had ended cannot be known.
        sure = gaps - len(re.findall(rf"possible gap in the log of ddp-{replica} .* meanwhile", talk))
        if sure and not any(record.dropped for _, record in owed):
            found.append(f"{replica}: a gap was reported, but nothing had been dropped")
    found += [f"lines of nobody: {lines[0][1][:80]!r}" for lines in came.values() if lines]
    for word in re.findall(r"the node says: (.*)", talk):
        if "fsnotify" not in word:
            found.append(f"the node is said to have said {word[:60]!r}")
    if run.status != (3 if cluster.fails else 0):
        found.append(f"exit {run.status}, though the job {'failed' if cluster.fails else 'succeeded'}")
    return found, total
