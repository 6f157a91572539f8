# Two jobs at once would meet at one port, and train each other's replicas.
# clusters: local (the cluster's replicas share this machine's ports)
# shellcheck shell=bash

# A listener whose own input is at its end may go before the word has come: it is kept open for a while.
for name in one two; do
  # shellcheck disable=SC2016 # the variables are the replica's
  start "$name" trainctl submit-pytorch --local --name "$name" --workers=1 --follow --all \
    -- sh -c 'echo "$MASTER_ADDR $MASTER_PORT"
      if [ "$RANK" = 0 ]; then sleep 5 | nc -l -p "$MASTER_PORT"
      else until echo "hello from '"$name"'" | nc "$MASTER_ADDR" "$MASTER_PORT"; do sleep 0.2; done; fi'
done
ports=()
for name in one two; do
  finish "$name"
  expect_exit 0
  expect_lines 2 '127\.0\.0\.1 [0-9]+$'
  expect_lines 1 "^\\[master-0\\] hello from $name\$"
  mapfile -t -O "${#ports[@]}" ports < <(sed -n 's/.* 127\.0\.0\.1 //p' <<<"$OUT" | sort -u)
done
expect_equal 'the number of ports' "$(printf '%s\n' "${ports[@]}" | sort -u | wc -l)" 2

# What a replica really got, not what the operator would set on another cluster.
run trainctl env --local one/master-0
expect_exit 0
expect_out '^MASTER_ADDR=127\.0\.0\.1$'
expect_out "^MASTER_PORT=${ports[0]}\$"
