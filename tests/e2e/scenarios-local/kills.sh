# A daemon that dies at a bad moment would lose a finished job, a line, the one who follows, or leave processes.
# clusters: local (kills the daemon $E2E_KILLS times, 25 if not set; a thousand take half an hour)
# timeout: 7200
# shellcheck shell=bash

# shellcheck disable=SC2086 # a seed may stand behind the number
"$WORK/../bin/python3" "$E2E/programs/kills.py" ${E2E_KILLS:-25}
