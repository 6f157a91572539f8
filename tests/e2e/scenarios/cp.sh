# A user would get half a file for a whole one, lose a copy to a cut connection, or have a pod write where it may not.
# clusters: real (its connections can be cut, and its files are not those of this machine)
# shellcheck shell=bash

cat >"$WORK/job.yaml" <<END
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: ddp}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          terminationGracePeriodSeconds: 0
          containers:
          - {name: pytorch, image: $TORCH, command: [sleep, "100000"]}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          terminationGracePeriodSeconds: 0
          containers:
          - {name: pytorch, image: $BUSYBOX, command: [sleep, "100000"]}
END
run trainctl submit "$WORK/job.yaml"
expect_exit 0
all_run() { [[ $(kubectl get pods --field-selector=status.phase=Running -o name | wc -l) == 3 ]]; }
await 'all replicas run' 90 all_run
in_pod() { trainctl exec ddp/worker-1 -- sh -c "$1"; }
leftovers() { find "$WORK" -name '.trainctl-*'; }

# A file both ways: bytes, mode, name; into a directory, and as another name.
head -c 3000000 /dev/urandom >"$WORK/up"
chmod 750 "$WORK/up"
run trainctl cp "$WORK/up" ddp/worker-1:/tmp
expect_exit 0
expect_err '^copied .*/up: 2\.8 MiB in '
expect_equal 'checksum there' "$(in_pod 'sha256sum </tmp/up')" "$(sha256sum <"$WORK/up")"
expect_equal 'mode there' "$(in_pod 'stat -c %a /tmp/up')" 750
mkdir "$WORK/in"
run trainctl cp ddp/worker-1:/tmp/up "$WORK/in"
expect_exit 0
cmp "$WORK/up" "$WORK/in/up" || fail 'the file came back changed'
expect_equal 'mode here' "$(stat -c %a "$WORK/in/up")" 750
run trainctl cp --quiet --rank 2 ddp:/tmp/up "$WORK/in/other"
expect_exit 0
expect_equal 'words when quiet' "$ERR" ''
cmp "$WORK/up" "$WORK/in/other" || fail 'under another name the file is changed'
: >"$WORK/empty"
run trainctl cp "$WORK/empty" ddp/worker-1:/tmp/empty
expect_exit 0
run trainctl cp ddp/worker-1:/tmp/empty "$WORK/in/"
expect_exit 0
[[ -e $WORK/in/empty && ! -s $WORK/in/empty ]] || fail 'the empty file is not there'

# A directory with modes, links, names that are no text, and one that looks like an option.
mkdir -p "$WORK/tree/sub/deep" "$WORK/tree/none"
echo one >"$WORK/tree/-rf"
echo two >"$WORK/tree/sub/deep/with space"
echo three >"$WORK/tree/sub/"$'caf\xe9'
chmod 4755 "$WORK/tree/sub/deep/with space"
chmod 700 "$WORK/tree/sub/deep"
ln -s sub/deep "$WORK/tree/link"
ln -s ../-rf "$WORK/tree/sub/up"
run trainctl cp "$WORK/tree" ddp/worker-1:/tmp
expect_exit 0
run trainctl cp ddp/worker-1:/tmp/tree "$WORK/back"
expect_exit 0
diff -r --no-dereference "$WORK/tree" "$WORK/back" || fail 'the directory came back changed'
expect_equal 'mode without setuid' "$(stat -c %a "$WORK/back/sub/deep/with space")" 755
expect_equal 'mode of a directory' "$(stat -c %a "$WORK/back/sub/deep")" 700
expect_equal 'a link' "$(readlink "$WORK/back/sub/up")" ../-rf
# Once more over what is there, and into a directory that exists.
run trainctl cp ddp/worker-1:/tmp/tree "$WORK/in"
expect_exit 0
run trainctl cp ddp/worker-1:/tmp/tree "$WORK/in"
expect_exit 0
diff -r --no-dereference "$WORK/tree" "$WORK/in/tree" || fail 'the directory is not the same a second time'

# 100 MiB both ways.
head -c 104857600 /dev/urandom >"$WORK/big"
run trainctl cp "$WORK/big" ddp/worker-1:/tmp/big
expect_exit 0
run trainctl cp ddp/worker-1:/tmp/big "$WORK/in/big"
expect_exit 0
cmp "$WORK/big" "$WORK/in/big" || fail '100 MiB came back changed'

# Ten cuts at random in each direction, and through a directory: bit for bit whole.
cut_copy() { # NAME FROM TO
  start "proxy-$1" python3 -B "$E2E/proxy.py" "$(kubectl config view --minify -o jsonpath='{.clusters[0].cluster.server}')" 10 1500000
  await 'the proxy listens' 20 grep -q '^listening' "$WORK/proxy-$1.out"
  run env HTTPS_PROXY="http://$(sed -n 's/^listening on //p' "$WORK/proxy-$1.out")" trainctl cp "$2" "$3"
  expect_exit 0
  expect_equal 'cuts' "$(grep -c '^cut ' "$WORK/proxy-$1.out")" 10
  expect_err 'trying again'
  kill "$(<"$WORK/proxy-$1.pid")"
}
head -c 40000000 "$WORK/big" >"$WORK/cut"
run trainctl cp "$WORK/cut" ddp/worker-1:/tmp/down
expect_exit 0
cut_copy down ddp/worker-1:/tmp/down "$WORK/in/cut"
cmp "$WORK/cut" "$WORK/in/cut" || fail 'ten cuts on the way here have changed the file'
cut_copy up "$WORK/cut" ddp/worker-1:/tmp/cut
expect_equal 'checksum after ten cuts' "$(in_pod 'sha256sum </tmp/cut')" "$(sha256sum <"$WORK/cut")"
mkdir "$WORK/many"
for ((i = 0; i < 20; i++)); do head -c 2000000 /dev/urandom >"$WORK/many/file-$i"; done
cut_copy tree-up "$WORK/many" ddp/worker-1:/tmp/many
cut_copy tree-down ddp/worker-1:/tmp/many "$WORK/many-back"
diff -r "$WORK/many" "$WORK/many-back" || fail 'ten cuts have changed the directory'
# The same with GNU's programs.
cut_copy gnu-up "$WORK/many" ddp/master-0:/tmp/many
cut_copy gnu-down ddp/master-0:/tmp/many "$WORK/many-gnu"
diff -r "$WORK/many" "$WORK/many-gnu" || fail 'ten cuts have changed the directory in a GNU system'

# What is in the pod cannot lead out of the directory, and is named.
in_pod 'mkdir -p /tmp/evil/d && cd /tmp/evil && echo x >d/f && ln -s /etc/passwd abs && ln -s ../../out rel && mkfifo pipe && ln -s d inside'
run trainctl cp ddp/worker-1:/tmp/evil "$WORK/evil"
expect_exit 1
expect_err 'left out: \./abs: a link that leads out of the directory, to /etc/passwd'
expect_err 'left out: \./rel'
expect_err 'left out: \./pipe: a FIFO'
expect_equal 'what came' "$(cd "$WORK/evil" && find . | sort | paste -sd' ')" '. ./d ./d/f ./inside'
# A tar in the pod that makes an archive of its own.
head -c 20 /dev/urandom >"$WORK/precious"
cp "$WORK/precious" "$WORK/precious.before"
python3 - "$WORK/hostile.tar" "$WORK" <<'END'
import io, sys, tarfile
with tarfile.open(sys.argv[1], "w") as tar:
    def put(name, kind=tarfile.REGTYPE, link="", data=b"hostile"):
        info = tarfile.TarInfo(name)
        info.type, info.linkname, info.size = kind, link, len(data) if kind == tarfile.REGTYPE else 0
        tar.addfile(info, io.BytesIO(data) if kind == tarfile.REGTYPE else None)
    put("./fine")
    put("../precious")
    put(sys.argv[2] + "/precious")
    put("./dir", tarfile.SYMTYPE, "..")
    put("./dir/precious")
    put("./hard", tarfile.LNKTYPE, "../precious")
    put("./disk", tarfile.BLKTYPE)
    put("./red\x1b[31m\nname", tarfile.CHRTYPE)
END
run trainctl cp "$WORK/hostile.tar" ddp/master-0:/tmp/hostile.tar
expect_exit 0
# shellcheck disable=SC2016 # the inner shell expands its own
trainctl exec ddp/master-0 -- sh -c 'mkdir /tmp/any; t=$(command -v tar); rm "$t"; printf "#!/bin/sh\ncat /tmp/hostile.tar\n" >"$t"; chmod 755 "$t"' || fail 'no tar of another kind'
run trainctl cp ddp/master-0:/tmp/any "$WORK/hostile"
expect_exit 1
expect_err 'left out: \.\./precious: it leads out'
expect_err 'left out: \./disk: a device'
refute_err $'\x1b'
cmp "$WORK/precious" "$WORK/precious.before" || fail 'a file outside has changed'

# A directory needs tar, a file does not.
# shellcheck disable=SC2016 # the inner shell expands its own
trainctl exec ddp/master-0 -- sh -c 'rm "$(command -v tar)"' || fail 'tar cannot be removed'
run trainctl cp ddp/master-0:/tmp/any "$WORK/no-tar"
expect_exit 5
expect_err 'has no tar'
run trainctl cp ddp/master-0:/tmp/hostile.tar "$WORK/in/one"
expect_exit 0
cmp "$WORK/hostile.tar" "$WORK/in/one" || fail 'without tar the file is changed'

# A program there that answers without end fills no memory here.
# shellcheck disable=SC2016 # the inner shell expands its own
trainctl exec ddp/master-0 -- sh -c 's=$(command -v stat); rm "$s"; printf "#!/bin/sh\nexec yes\n" >"$s"; chmod 755 "$s"' || fail 'no stat of another kind'
run trainctl cp ddp/master-0:/tmp/hostile.tar "$WORK/in/two"
expect_exit 1
expect_err 'more than 64 MiB'

# What is not there, or not allowed.
run trainctl cp ddp/worker-1:/no/such "$WORK"
expect_exit 5
expect_err 'there is no /no/such in ddp/worker-1'
run trainctl cp "$WORK/no-such" ddp/worker-1:/tmp
expect_exit 2
run trainctl cp "$WORK/up" ddp/worker-1:/no/such/place
expect_exit 1
expect_err '/no/such/'
grant "$NAMESPACE" reader <<'END'
- {apiGroups: [kubeflow.org], resources: ["*"], verbs: [get, list, watch]}
- {apiGroups: [""], resources: [pods], verbs: [get, list, watch]}
END
kubeconfig_of reader "$NAMESPACE" "$WORK/reader"
run trainctl cp --kubeconfig "$WORK/reader" pytorch/ddp/worker-1:/tmp/up "$WORK/in"
expect_exit 4
expect_err 'pods/exec'

# A full disk here, and an interruption, leave neither half a file nor a temporary one.
mkdir "$WORK/small"
mount -t tmpfs -o size=1m tmpfs "$WORK/small"
run trainctl cp ddp/worker-1:/tmp/up "$WORK/small"
small=$(ls -A "$WORK/small")
umount "$WORK/small"
expect_exit 1
expect_err 'No space left on device'
expect_equal 'files on the full disk' "$small" ''
start interrupted trainctl cp ddp/worker-1:/dev/zero "$WORK/in/zero"
finish interrupted
expect_exit 6
in_pod 'mkfifo /tmp/slow 2>/dev/null; head -c 2000000000 /dev/zero >/tmp/huge'
start interrupted trainctl cp ddp/worker-1:/tmp/huge "$WORK/in/huge"
begun() { [[ -n $(leftovers) ]]; }
await 'the copy has begun' 30 begun
kill -INT "$(<"$WORK/interrupted.pid")"
finish interrupted
expect_exit 130
[[ ! -e $WORK/in/huge ]] || fail 'half a file has its name'
expect_equal 'temporary files' "$(leftovers)" ''
expect_equal 'temporary files there' "$(in_pod 'find /tmp -name ".trainctl-*"')" ''
