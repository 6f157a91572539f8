# A program that was edited a second ago would not run, or that of another job would, or its code would be left behind.
# shellcheck shell=bash disable=SC2016 # the dollars are expanded in the pod, or when they are awaited

maps() { kubectl get configmaps -l trainctl/code -o "${1:-name}"; }
map_count() { maps | wc -l; }
no_maps() { ! maps | grep -q .; }
owners() { maps 'jsonpath={.items[0].metadata.ownerReferences[*].name}'; }

mkdir -p code/lib
echo 'greet() { echo "$1 from $(pwd)"; }' >code/lib/greet.sh
printf '. lib/greet.sh\ngreet first\n' >code/run.sh
submit=(trainctl submit-pytorch --workers=0 -i "$BUSYBOX" --command)

run "${submit[@]}" --name edited --code code --follow -- sh run.sh
expect_exit 0
expect_out '^first from /code$'
expect_err '^code code: 2 files, [0-9]+ B packed \([0-9]+ B\)$'
expect_equal 'the maps' "$(map_count)" 1
printf '. lib/greet.sh\ngreet second\n' >code/run.sh
run "${submit[@]}" --name again --code code --follow -- sh run.sh
expect_exit 0
expect_out '^second from /code$'
expect_equal 'the maps' "$(map_count)" 2

run trainctl describe again
expect_out '^Code: +sha256:[0-9a-f]{12}, 2 files$'
run trainctl delete edited
expect_exit 0
await 'the first map goes with its job' 30 eval '(( $(map_count) == 1 ))'

# The same code is sent once, and stays as long as one of its jobs.
before=$(maps 'jsonpath={.items[0].metadata.uid}')
run "${submit[@]}" --name shares --code code --follow -- sh run.sh
expect_exit 0
expect_out '^second from /code$'
expect_equal 'the map' "$(maps 'jsonpath={.items[*].metadata.uid}')" "$before"
expect_equal 'its owners' "$(owners)" 'again shares'
run trainctl delete again
expect_exit 0
await 'the garbage collector has seen it' 30 eval '[[ $(owners) == shares ]] || job_gone pytorchjob/again'
# Its successor has the same code, which the garbage collector is about to take away.
first=$(job_uid pytorchjob/shares)
run "${submit[@]}" --name shares --code code --if-exists=replace --follow -- sh run.sh
expect_exit 0
expect_out '^second from /code$'
owned_by_new() { [[ $(maps 'jsonpath={.items[*].metadata.ownerReferences[*].uid}') == "$(job_uid pytorchjob/shares)" ]]; }
await 'the map is the new job'\''s' 30 owned_by_new
[[ $(job_uid pytorchjob/shares) != "$first" ]] || fail 'replace kept the old job'
run trainctl delete shares
await 'the map goes with its last job' 30 no_maps

# A pod that is made anew unpacks again, though nobody follows. More than a map holds goes into several.
head -c 2300000 /dev/urandom >code/noise.bin
printf 'sha256sum noise.bin\nexec sleep 600\n' >code/run.sh
sum=$(cd code && sha256sum noise.bin)
run "${submit[@]}" --name remade --code code -- sh run.sh
expect_exit 0
expect_equal 'the maps' "$(map_count)" 3
await 'the program has its code' 60 log_has remade-master-0 "^$sum$"
uid=$(kubectl get pod remade-master-0 -o jsonpath='{.metadata.uid}')
kubectl delete pod remade-master-0 --grace-period=1 --wait=false >/dev/null
is_remade() { [[ $(kubectl get pod remade-master-0 -o jsonpath='{.metadata.uid}') != "$uid" ]] && log_has remade-master-0 "^$sum$"; }
await 'the new pod has the same' 90 is_remade
run trainctl delete remade
await 'its maps are gone' 30 no_maps
rm code/noise.bin

# What looks like credentials is not sent unless it is named.
echo TOKEN=x >code/.env
run "${submit[@]}" --name secrets --code code -- sh run.sh
expect_exit 2
expect_err 'these look like credentials: \.env'
job_gone pytorchjob/secrets || fail 'the job was created'
no_maps || fail 'code was sent'
printf 'cat .env\n' >code/run.sh
run "${submit[@]}" --name secrets --code code --code-include .env --follow -- sh run.sh
expect_exit 0
expect_out '^TOKEN=x$'
run trainctl delete secrets
await 'its map is gone' 30 no_maps

# A quota that leaves room for some of the maps leaves nothing behind.
if [[ $E2E_CLUSTER == real ]]; then
  kubectl create quota few --hard=count/configmaps=2 >/dev/null
  has_counted() { [[ $(kubectl get quota few -o jsonpath='{.status.used.count/configmaps}') == 1 ]]; }
  await 'the quota counts' 30 has_counted
  head -c 2300000 /dev/urandom >code/noise.bin
  run "${submit[@]}" --name refused --code code --code-include .env -- sh run.sh
  expect_exit 6
  expect_err 'exceeded quota'
  job_gone pytorchjob/refused || fail 'the job was created'
  no_maps || fail 'maps were left behind'
fi
