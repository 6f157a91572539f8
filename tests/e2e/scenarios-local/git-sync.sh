# The clone of --git-sync would fail in the pod, where nobody has tried its script: a token refused, a branch not found.
# clusters: local (the script is run here: the clusters have no image with git)
# shellcheck shell=bash

git init -q -b main repo
git -C repo -c user.name=a -c user.email=a@test commit -q --allow-empty -m first
echo 'echo trained' >repo/train.sh
git -C repo add train.sh
git -C repo -c user.name=a -c user.email=a@test commit -q -m second
git -C repo branch side HEAD~

# clone NAME FIELDS…: runs the init container's command with its environment in a new directory.
clone() {
  local job variables
  mkdir -p "$1"
  job=$(trainctl submit-pytorch --workers=0 -i git:1 --git-sync "repository=https://git.test/x,path=/code$2" --dry-run -o json)
  job=$(jq '.spec.pytorchReplicaSpecs.Master.template.spec.initContainers[0]' <<<"$job")
  mapfile -t variables < <(jq -r '.env[] | select(.value) | .name + "=" + .value' <<<"$job")
  (cd "$1" && env "${variables[@]}" GIT_USERNAME=ada GIT_PASSWORD='a "secret"' "GIT_REPOSITORY=file://$PWD/../repo" "${@:3}" \
    sh -c "$(jq -r '.command[2]' <<<"$job")")
}
run clone head ''
expect_exit 0
expect_out 'second$'
expect_equal 'the script' "$(sh head/train.sh)" trained
run clone side ,branch=side
expect_exit 0
expect_out 'first$'
run clone none ,rev=nowhere
expect_exit 128
expect_err 'nowhere'
# The kubelet starts it again in the same directory.
run clone none ''
expect_exit 0
expect_out 'second$'

# What git asks for is answered from the secret.
job=$(trainctl submit-pytorch --workers=0 -i git:1 --git-sync repository=https://git.test/x,path=/code,secret=hub --dry-run -o json)
mapfile -t variables < <(jq -r '.spec.pytorchReplicaSpecs.Master.template.spec.initContainers[0].env[] | select(.value) | .name + "=" + .value' <<<"$job")
answer=$(printf 'protocol=https\nhost=git.test\n\n' | env "${variables[@]}" GIT_USERNAME=ada GIT_PASSWORD='a "secret"' git credential fill)
expect_equal 'the answer' "$(grep -E '^(username|password)=' <<<"$answer")" 'username=ada
password=a "secret"'
