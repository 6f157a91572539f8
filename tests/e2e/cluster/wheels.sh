# Virtual environments of pinned wheels in the cache; sourced after common.sh, never run.
# shellcheck shell=bash disable=SC2154 # common.sh sets $here and $cache

# wheels_here NAME TITLE PROOF: makes the environment of NAME.txt if there is none, and prints its path. The Python
# line PROOF imports the packages, which proves the list complete. What was made before a failure is made again.
wheels_here() {
  local name=$1 place
  place=$cache/$name-$(cat "$here/$name.txt" "${BASH_SOURCE[0]}" | content_key)
  [[ -d $place ]] || step "$2 in a virtual environment" "$place.log" make_environment "$here/$name.txt" "$place" "$3"
  echo "$place"
}

make_environment() {
  local list=$1 place=$2 proof=$3
  rm -rf "$place.part"
  /usr/bin/python3 -m venv --without-pip "$place.part"
  python3 -m pip --python "$place.part/bin/python3" install --quiet --no-cache-dir --no-deps --require-hashes \
    --only-binary=:all: --requirement="$list"
  "$place.part/bin/python3" -c "$proof"
  mv "$place.part" "$place"
}
