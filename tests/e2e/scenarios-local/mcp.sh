# An agent would read a job wrongly, change one without its user's consent, or stop the server by a hostile line.
# clusters: local (nothing but --local)
# shellcheck shell=bash

run trainctl submit-pytorch --local --name good --no-master --workers=1 -- sh -c 'for i in 0 1 2 3 4 5 6 7 8 9; do echo "step $i"; done'
expect_exit 0
run trainctl submit-pytorch --local --name long --no-master --workers=1 -- sleep 1000
expect_exit 0
run trainctl mcp --local --allow-changes
expect_exit 0
run python3 "$E2E/programs/mcp_client.py"
expect_exit 0
run trainctl delete --local long
expect_exit 0
run python3 "$E2E/programs/mcp_attacks.py"
expect_exit 0
expect_out '^[0-9]+ attacks failed$'
