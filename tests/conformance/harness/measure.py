"""Runs a command line and writes its peak of memory, in KiB, to a file: measure.py FILE COMMAND...

A process of its own: what the harness takes itself would count as the command's, since the kernel keeps a peak across exec.
"""
import os
import resource
import sys

record, *command = sys.argv[1:]
pid = os.posix_spawnp(command[0], command, os.environ)
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
with open(record, "w", encoding="utf-8") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code if code >= 0 else 128 - code)
