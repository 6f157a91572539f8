# How Go programs are built; sourced by build and beyond/build, after common.sh.
# shellcheck shell=bash disable=SC2317 # step calls go_build

# The module files are pinned: a build that would change them must fail instead.
export GOFLAGS='-mod=readonly -buildvcs=false' CGO_ENABLED=0

check_go() {
  command -v go >/dev/null || die 'Go 1.26 is not installed: run script/bootstrap'
  local version
  version=$(go env GOVERSION)
  [[ $(printf '%s\n' go1.26 "$version" | sort -V | head -n 1) == go1.26 ]] ||
    die "$version is too old: the test cluster needs Go 1.26 or later"
}

# program FILE MODULE_DIR PACKAGE [LINKER_FLAGS]: builds one Go program; it gets its name only when it is complete.
program() {
  local file=$1 dir=$2 package=$3 flags=${4:-} name
  name=$(basename "$file")
  [[ -x $file ]] && return
  go_build() {
    cd "$dir" || exit
    go build -v -trimpath -ldflags "-s -w $flags" -o "$file.part" "$package"
    mv "$file.part" "$file"
  }
  step "build $name" "$(dirname "$file")/logs/$name.log" go_build
}

# module_source MODULE_DIR MODULE: the folder of a module's sources.
module_source() { (cd "$1" && go mod download "$2" && go list -m -f '{{.Dir}}' "$2"); }
