# A user with rights in one namespace only, as on most shared clusters, could not work at all.
# clusters: real (the embedded one has one user, its owner, who may do everything: there is no RBAC to ask)
# shellcheck shell=bash

namespaced_kubeconfig "$NAMESPACE" own.kubeconfig
own() { trainctl --kubeconfig "$PWD/own.kubeconfig" "$@"; }

run own submit-pytorch --name mine --workers=0 -i "$BUSYBOX" --follow --command -- sh -c 'echo allowed; sleep 2'
expect_exit 0
expect_out '^allowed$'

for command in 'get mine' 'get' 'logs mine' 'wait mine' 'logs -f mine'; do
  # shellcheck disable=SC2086 # the words are the command and its argument
  run own $command
  expect_exit 0
  refute_err 'forbidden'
done

# Nothing outside is even asked for, but by the check before a submit; and what is watched was listed before, since a server may let other watches wait.
asked=''
for command in "submit-pytorch --name asked --workers=0 -i $BUSYBOX --wait" 'get asked' 'get' 'describe asked' 'logs asked' \
  'logs -f asked' 'events asked' 'env asked' 'delete asked'; do
  # shellcheck disable=SC2086 # the words are the command and its arguments
  run own $command --verbose
  expect_exit 0
  asked+=$(grep -E '^(GET|POST|PATCH|DELETE) ' <<<"$ERR")$'\n'
done
expect_equal 'what is asked for elsewhere' "$(grep -v "/namespaces/$NAMESPACE/" <<<"${asked%$'\n'}" | grep -Ev ' /api/v1/nodes\?|/selfsubjectaccessreviews\?' || true)" ''
grep -q 'watch=true' <<<"$asked" || fail "nothing was watched: $asked"
expect_equal 'watches from nowhere' "$(grep 'watch=true' <<<"$asked" | grep -v 'resourceVersion=[0-9]' || true)" ''

run own get -n default
expect_exit 4

run own delete mine
expect_exit 0
job_gone pytorchjob/mine || fail 'the job still exists'
