# A user would lose lines or the verdict, or see lines twice, when connection, API server, node or credential fail meanwhile.
# clusters: real (restarts its daemons; $E2E_CHAOS is "SEED CUTS [REPLICAS]")
# timeout: 7200
# shellcheck shell=bash

grant_trainer "$NAMESPACE"
# shellcheck disable=SC2086 # the words are several
"$E2E/chaos/chaos" ${E2E_CHAOS:-1 35}
