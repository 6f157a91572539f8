# A user's arguments or environment would reach the container changed, or become other fields of the job.
# shellcheck shell=bash

# shellcheck disable=SC2016 # must arrive as it stands
arguments=('two  words' '$HOME' 'say "hi": {x}' $'line 1\n- name: INJECTED\n  value: yes' '' 'true' '0x1F' $'tab\there' 'ünï' '$$' '$(RANK)' '$$(RANK)$' '$é' "'" '\new' '--flag=*')
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
# shellcheck disable=SC2016 # the cluster's own escape
expect_equal MSG "$(jq -j "$container.env[0].value" job.json; echo .)" "${value/'$(RANK)'/'$$(RANK)'}."
expect_equal SWITCH "$(jq -r "$container.env[1].value" job.json)" yes
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
# shellcheck disable=SC2016 # $$ is the shell's own number
program='for word in "$@"; do printf "%s\0" "$word"; done | base64; echo .; base64 /proc/$$/environ'
run trainctl submit-pytorch --name wild --workers=0 -i "$BUSYBOX" "${variables[@]}" --follow --command -- \
  sh -c "$program" sh "${values[@]}"
expect_exit 0
printf '%s\n' "$OUT" | python3 -c '
import base64, json, sys
values = json.load(open("values.json"))
words, environ = (base64.b64decode(half).decode().split("\0") for half in sys.stdin.read().split("."))
variables = dict(entry.split("=", 1) for entry in environ if "=" in entry)
wrong = [v for v, word in zip(values, words) if v != word]
wrong += [v for i, v in enumerate(values) if variables.get(f"V{i}") != v]
sys.exit(f"arrived changed: {wrong}" if wrong or len(words) != len(values) + 1 else 0)
' || fail 'random arguments or values of variables arrived changed'

# Who asks for the expansion of the cluster gets it, and a manifest of the user has it anyway.
# shellcheck disable=SC2016 # for the cluster
run trainctl submit-pytorch --name expanded --workers=0 -i "$BUSYBOX" -e A=1 -e 'B=$(A)2' --expand \
  --follow --command -- echo '$(B)' '$$(B)' '$(NONE)'
expect_exit 0
# shellcheck disable=SC2016
expect_equal 'expanded' "$OUT" '12 $(B) $(NONE)'
