"""pair.py [--rounds N] [--limit CASE:WALL:MEMORY[:CURL]]… [--page FILE] PLAN: runs the commands of a plan in turns and
compares them.

A line of the plan is CASE<TAB>PROGRAM<TAB>WORDS. Ratios are to the program kubectl of the same case; a
--limit fails the run when trainctl's median wall time or peak memory is above that share of kubectl's, or its
wall time above that share of curl's.
--page writes the table as Markdown below the first line that says "| case", and keeps what stands above it.
A child's peak memory is at least this program's own at the moment it starts it (the kernel counts from
before exec), so this file imports little, and the table's last line says where that floor lies.
"""

import os
import shlex
import sys
from time import perf_counter


def measured(words):
    """Wall seconds, CPU seconds and peak MiB of one run, which must succeed."""
    quiet = os.open(os.devnull, os.O_RDWR)
    start = perf_counter()
    # Not posix_spawn: its child would share all of this program's memory until exec, and start with its peak.
    child = os.fork()
    if child == 0:
        os.dup2(quiet, 0)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        try:
            os.execvp(words[0], words)
        finally:
            os._exit(127)
    _, status, usage = os.wait4(child, 0)
    wall = perf_counter() - start
    os.close(quiet)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"exit status {os.waitstatus_to_exitcode(status)}: {' '.join(words)}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def spread(values):
    """Half of the runs lie this far apart."""
    ordered = sorted(values)
    return ordered[(3 * len(ordered)) // 4 - (len(ordered) % 4 == 0)] - ordered[len(ordered) // 4]


def read_plan(path):
    plan = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            case, program, words = line.rstrip("\n").split("\t")
            plan.setdefault(case, {})[program] = shlex.split(words)
    return plan


def run_case(programs, rounds):
    """Medians of wall and CPU and the largest peak, per program; the order turns with every round."""
    runs = {name: [] for name in programs}
    names = list(programs)
    for name in names:
        measured(programs[name])  # warms the caches
    for number in range(rounds):
        for name in names[number % len(names):] + names[:number % len(names)]:
            runs[name].append(measured(programs[name]))
    return {name: (median([run[0] for run in all_runs]), median([run[1] for run in all_runs]),
                   max(run[2] for run in all_runs), spread([run[0] for run in all_runs])) for name, all_runs in runs.items()}


def print_case(case, results):
    wall_of_kubectl, _, memory_of_kubectl, _ = results["kubectl"]
    for name, (wall, cpu, memory, _) in results.items():
        print(f"{case:8} {name:9} {wall * 1000:8.1f} ms {wall / wall_of_kubectl:6.2f}"
              f" {cpu * 1000:8.1f} ms {memory:8.1f} MiB {memory / memory_of_kubectl:6.2f}")


def page_row(case, name, result, of_kubectl):
    wall, cpu, memory, around = result
    return (f"| {case} | {name} | {wall * 1000:.1f} ± {around * 500:.1f} ms | {wall / of_kubectl[0]:.2f} | {cpu * 1000:.1f} ms |"
            f" {memory:.1f} MiB | {memory / of_kubectl[2]:.2f} |\n")


def write_page(path, all_results):
    head = "| case | program | wall time | of kubectl's | CPU time | peak memory | of kubectl's |\n|---|---|---|---|---|---|---|\n"
    with open(path, encoding="utf-8") as file:
        above = file.read().split("| case", 1)[0]
    with open(path, "w", encoding="utf-8") as file:
        file.write(above + head + "".join(page_row(case, name, result, results["kubectl"])
                                          for case, results in all_results.items() for name, result in results.items()))


def broken_limits(case, results, limits):
    checks = list(zip((("wall time", 0, "kubectl"), ("memory", 2, "kubectl"), ("wall time", 0, "curl")), limits))
    ratios = [results["trainctl"][field] / results[other][field] for (_, field, other), _ in checks]
    return [f"{case}: {what} is {ratio:.2f} of {other}'s, the limit is {limit}"
            for ((what, _, other), limit), ratio in zip(checks, ratios) if ratio > limit]


def parse(arguments):
    rounds, limits, page = 15, {}, ""
    while len(arguments) > 1:
        option, value, *arguments = arguments
        if option == "--rounds":
            rounds = int(value)
        elif option == "--limit":
            case, *shares = value.split(":")
            limits[case] = [float(share) for share in shares]
        elif option == "--page":
            page = value
        else:
            sys.exit(f"unknown argument {option}")
    return rounds, limits, page, read_plan(arguments[0])


def main():
    rounds, limits, page, plan = parse(sys.argv[1:])
    print(f"{rounds} rounds in turns; medians of wall and CPU time, largest peak memory\n"
          f"{'case':8} {'program':9} {'wall':>11} {'/kubectl':>6} {'CPU':>9} {'peak':>12} {'/kubectl':>8}")
    broken, all_results = [], {}
    for case, programs in plan.items():
        results = all_results[case] = run_case(programs, rounds)
        print_case(case, results)
        if case in limits:
            broken += broken_limits(case, results, limits[case])
    if page:
        write_page(page, all_results)
    print(f"(peaks cannot be below {measured(['true'])[2]:.1f} MiB here)")
    for complaint in broken:
        print(complaint, file=sys.stderr)
    sys.exit(1 if broken else 0)


main()
