# A user's arguments or environment would reach the container changed, or become other fields of the job.
# shellcheck shell=bash

# shellcheck disable=SC2016 # must arrive as it stands
arguments=('two  words' '$HOME' 'say "hi": {x}' $'line 1\n- name: INJECTED\n  value: yes' '' 'true' '0x1F' $'tab\there' 'ünï' "'" '\new' '--flag=*')
# shellcheck disable=SC2016
program='for word in "$0" "$@" "$MSG"; do printf "%s\0" "$word"; done | base64'
# shellcheck disable=SC2016
value=$'A=C:\\new, "quoted": {x}\n- name: "INJECTED"\n  value: $(RANK) # no'

run trainctl submit-pytorch --name exact --workers=0 -i "$BUSYBOX" -e "MSG=$value" -e SWITCH=yes \
  --follow --command -- sh -c "$program" "${arguments[@]}"
expect_exit 0
kubectl get pytorchjob exact -o json >job.json
container='.spec.pytorchReplicaSpecs.Master.template.spec.containers[0]'
expect_equal 'the number of variables' "$(jq "$container.env | length" job.json)" 2
expect_equal MSG "$(jq -j "$container.env[0].value" job.json; echo .)" "$value."
expect_equal SWITCH "$(jq -r "$container.env[1].value" job.json)" yes
expected=$(jq -n '$ARGS.positional' --args -- sh -c "$program" "${arguments[@]}")
expect_equal 'the command' "$(jq "$container.command" job.json)" "$expected"
expect_equal 'what the program finds, encoded' "$OUT" "$(printf '%s\0' "${arguments[@]}" "$value" | base64)"

# The same for values nobody thought of: 200 random strings, as arguments and as values of variables.
python3 - <<'END'
import json, random
random.seed(7)
alphabet = [chr(c) for c in range(1, 0x250)] + list('\u2028\u2029\ufeff😀"\'\\{}[]:#&*!|>%@`,- \n\t')
alphabet = [c for c in alphabet if not 0xD800 <= ord(c) < 0xE000]
json.dump(["".join(random.choices(alphabet, k=random.randint(0, 40))) for _ in range(200)], open("values.json", "w"))
END
mapfile -d '' -t values < <(python3 -c 'import json; print("".join(v + "\0" for v in json.load(open("values.json"))), end="")')
variables=()
for i in "${!values[@]}"; do variables+=(-e "V$i=${values[i]}"); done
run trainctl submit-pytorch --name wild --workers=0 -i "$BUSYBOX" "${variables[@]}" --command -- true "${values[@]}"
expect_exit 0
kubectl get pytorchjob wild -o json >wild.json
jq . values.json >expected.json
jq "$container.command[1:]" wild.json | cmp - expected.json || fail 'random arguments differ'
jq "[$container.env[].value // \"\"]" wild.json | cmp - expected.json || fail 'random values of variables differ'
