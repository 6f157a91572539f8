# The systems and machines that script/package builds for, one in each row, in the names of those who need them; sourced.
# shellcheck shell=bash disable=SC2034 # the names below are for those who source this

packaging=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# architecture [SYSTEM-]MACHINE: sets system (linux if none is given), machine (the kernel's name), debian (Debian's, Go's and the
# images'), homebrew (its block for it), triplet (the compiler's), kernel (as Nix and krew call the system), and cross: the end of the
# names that Debian's packages for a cross-compiler have, empty for what is no such package and for the machine that runs this.
architecture() {
  system=linux kernel=linux cross=''
  case ${1#linux-} in
    x86_64) machine=x86_64 debian=amd64 homebrew=intel ;;
    aarch64) machine=aarch64 debian=arm64 homebrew=arm cross=-arm64-cross ;;
    macos-arm64) machine=arm64 debian=arm64 homebrew=arm system=macos ;;
    macos-x86_64) machine=x86_64 debian=amd64 homebrew=intel system=macos ;;
    *) return 1 ;;
  esac
  triplet=$machine-linux-gnu
  [[ $system == linux ]] || kernel=darwin triplet=${machine/arm64/aarch64}-macos
}

# provide_compiler DIRECTORY: zig gets the names of a cross-compiler for macOS there, by which all else finds it.
provide_compiler() {
  local tool
  [[ $system == macos ]] || return 0
  mkdir -p "$1"
  for tool in gcc g++ ar ranlib strip; do ln -sfn "$packaging/static/zig" "$1/$triplet-$tool"; done
  PATH=$1:$PATH
}

# cmake_for_architecture: the arguments of a first `cmake`, one in each line. Programs of another machine run under QEMU.
cmake_for_architecture() {
  # The linker knows functions that are newer than the oldest system: pipe2() must not be found by it.
  [[ $system == linux ]] || printf -- '-D%s\n' HAVE_PIPE2=0 CMAKE_SYSTEM_NAME=Darwin "CMAKE_SYSTEM_PROCESSOR=$machine" \
    "CMAKE_C_COMPILER=$triplet-gcc" "CMAKE_CXX_COMPILER=$triplet-g++" "CMAKE_AR=$(command -v "$triplet-ar")" \
    "CMAKE_RANLIB=$(command -v "$triplet-ranlib")" "CMAKE_STRIP=$(command -v "$triplet-strip")" CMAKE_INSTALL_NAME_TOOL=false \
    CMAKE_OSX_SYSROOT=
  [[ ! $cross ]] || printf -- '-DCMAKE_%s\n' SYSTEM_NAME=Linux "SYSTEM_PROCESSOR=$machine" "C_COMPILER=$triplet-gcc" \
    "CXX_COMPILER=$triplet-g++" "CROSSCOMPILING_EMULATOR=qemu-$machine-static;-L;/usr/$triplet"
}
