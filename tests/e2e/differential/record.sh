# Records what the cluster makes of the differential test's jobs, into $RECORD_FILE; run starts it on each cluster.
# timeout: 900
# shellcheck shell=bash disable=SC2086 # the cases are words

python3 -B "$E2E/differential/record.py" "$KUBECONFIG" "$RECORD_FILE" ${RECORD_CASES:-}
