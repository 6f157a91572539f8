# The architectures that script/package builds for, one in each row, in the names of those who need them; sourced.
# shellcheck shell=bash disable=SC2034 # the names below are for those who source this

# architecture MACHINE: sets machine (the kernel's name), debian (Debian's, Go's and the images'), homebrew (its block for it), triplet
# (the compiler's), and cross: the end of the names that Debian's packages for a cross-compiler have, empty for the machine that
# script/package runs on.
architecture() {
  case $1 in
    x86_64) machine=x86_64 debian=amd64 homebrew=intel cross='' ;;
    aarch64) machine=aarch64 debian=arm64 homebrew=arm cross=-arm64-cross ;;
    *) return 1 ;;
  esac
  triplet=$machine-linux-gnu
}

# cmake_for_architecture: the arguments of a first `cmake`, one in each line. Programs of another machine run under QEMU.
cmake_for_architecture() {
  [[ $cross ]] || return 0
  printf -- '-DCMAKE_%s\n' SYSTEM_NAME=Linux "SYSTEM_PROCESSOR=$machine" "C_COMPILER=$triplet-gcc" "CXX_COMPILER=$triplet-g++" \
    "CROSSCOMPILING_EMULATOR=qemu-$machine-static;-L;/usr/$triplet"
}
