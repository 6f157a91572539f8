# Another user of the machine could have their configuration, their overlay or their programs taken for this user's own.
# clusters: local (only there a job's program is a process of this user)
# shellcheck shell=bash disable=SC2016 # the inner shell expands

((EUID == 0)) || exit 0 # only root can be another user, too
place=$(mktemp -d -p /tmp)
trap 'rm -rf "$place"' EXIT
chmod 1777 "$place"
# as_nobody SCRIPT: what the other user does there.
as_nobody() { (cd "$place" && setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "$1"); }
submit=(trainctl submit-pytorch --local --name mine --follow -- true)

# A repository of theirs around a directory of ours: outside of a repository of ours, nothing upward is looked at.
as_nobody 'mkdir .git && echo "env: [BASH_ENV=$PWD/evil]" >.trainctl.yaml && echo "overlay: [o.yaml]" >>.trainctl.yaml && echo "{}" >o.yaml'
mkdir -m 700 "$place/ours" && cd "$place/ours"
run "${submit[@]}"
expect_exit 0
refute_err 'trainctl.yaml'
trainctl delete --local mine --yes

# In their own directory, theirs is refused and named.
cd "$place"
run trainctl submit-pytorch --local --name mine --dry-run -o yaml -- true
expect_err "$place/.trainctl.yaml is not read: it belongs to another user"
expect_exit 0
refute_out 'BASH_ENV'

# Their file behind a link of ours is a link that leads out, and our file beside their overlay takes no overlay of theirs.
mkdir "$place/repository" && cd "$place/repository"
git init -q . 2>/dev/null || mkdir .git
ln -s ../.trainctl.yaml .trainctl.yaml
run trainctl submit-pytorch --local --name mine --dry-run -o yaml -- true
expect_exit 0
expect_err 'not read: its real path is outside of the working tree'
rm .trainctl.yaml
echo 'overlay: [o.yaml]' >.trainctl.yaml
echo '{}' >o.yaml
chown 65534 o.yaml
run trainctl submit-pytorch --local --name mine --tree-config=trusted --dry-run -o yaml -- true
expect_exit 2
expect_err 'o.yaml is not read: it belongs to another user'

# Nor one in a directory of theirs, where they could exchange our file for a link to another of ours.
mkdir -p theirs/ours && chown 65534 theirs
echo '{}' >theirs/ours/o.yaml
echo 'overlay: [theirs/ours/o.yaml]' >.trainctl.yaml
run trainctl submit-pytorch --local --name mine --tree-config=trusted --dry-run -o yaml -- true
expect_exit 2
expect_err "o.yaml is not read: the directory $place/repository/theirs belongs to another user"
echo 'overlay: [o.yaml]' >.trainctl.yaml

# A file of our own that came with a clone runs nothing as us before it was agreed to, and nothing after it changed.
cat >evil <<EVIL
touch "$WORK/ran"
EVIL
rm o.yaml
echo "env: [BASH_ENV=$PWD/evil]" >.trainctl.yaml
job=(trainctl submit-pytorch --local --name mine --follow -- bash -c 'echo trained')
run "${job[@]}"
expect_exit 0
expect_err '.trainctl.yaml is not read: you have not agreed to its content'
[[ ! -e $WORK/ran ]] || fail 'a program of the repository ran without consent'
trainctl delete --local mine --yes
trainctl config trust --yes
run "${job[@]}"
expect_exit 0
expect_out 'trained'
[[ -e $WORK/ran ]] || fail 'consent has no effect'
echo '# changed' >>.trainctl.yaml
rm "$WORK/ran"
trainctl delete --local mine --yes
run "${job[@]}"
expect_exit 0
[[ ! -e $WORK/ran ]] || fail 'a changed file has an effect without consent'
