# How each library that Debian has no usable static form of is built, in the directory of its sources; sourced by
# packaging/static/libraries, which sets prefix: where the other libraries are, and the new one goes; and, by
# packaging/architectures.sh, the machine it is for.
# shellcheck shell=bash disable=SC2154,SC2317

flags='-Os -fPIC -ffunction-sections -fdata-sections -fstack-protector-strong -D_FORTIFY_SOURCE=3'

includes() { printf -- '-I%s/include -I%s/include/%s -ffile-prefix-map=%s=.' "$prefix" "$prefix" "$triplet" "$part"; }

# into LIBRARY.a [HEADER…]: installs what a build made.
into() {
  cp "$1" "$prefix/lib/$triplet/"
  shift
  (($# == 0)) || cp -r "$@" "$prefix/include/"
}

# archive NAME FLAGS FILE…: compiles files, and makes libNAME.a of them. zig compiles one at a time.
archive() {
  local name=$1 compiler=gcc own
  read -ra own <<<"$flags $(includes) $2"
  shift 2
  [[ $1 == *.c ]] || compiler=g++
  printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -n 1 "$triplet-$compiler" "${own[@]}" -c
  "$triplet-ar" rcsD "lib$name.a" ./*.o
}

# by_cmake TARGET ARGUMENT…: configures and builds the current directory.
by_cmake() {
  local target=$1 for_architecture
  shift
  mapfile -t for_architecture < <(cmake_for_architecture)
  # libarchive refuses to be built without a type.
  cmake -G Ninja -S . -B build "${for_architecture[@]}" -DCMAKE_BUILD_TYPE=MinSizeRel -DCMAKE_C_FLAGS_MINSIZEREL= \
    -DCMAKE_C_FLAGS="$flags $(includes) ${defines:-}" -DBUILD_SHARED_LIBS=OFF "$@"
  cmake --build build --target "$target"
}

build_aria2() {
  cd deps/wslay/lib
  archive wslay '-DHAVE_ARPA_INET_H -DHAVE_NETINET_IN_H -Iincludes' wslay_{event,frame,net,queue}.c
  into libwslay.a includes/wslay
}

build_libmicrohttpd() {
  local file
  # Debian's patches must not start autoconf: each generated file is made newer than what it comes from.
  for file in aclocal.m4 configure MHD_config.h.in; do find . -name "$file" -exec touch {} +; done
  find . -name Makefile.in -exec touch {} +
  ./configure --quiet --build=x86_64-linux-gnu --host="$triplet" --disable-shared --enable-static --with-pic \
    --disable-dependency-tracking --disable-https --disable-curl --disable-doc --disable-examples --disable-tools CFLAGS="$flags -w $(includes)"
  make -s -j "$(nproc)" -C src/microhttpd
  into src/microhttpd/.libs/libmicrohttpd.a src/include/microhttpd.h
}

build_curl() {
  # A configuration file of the machine's OpenSSL could name modules of another version. A bundle of CAs is looked for at
  # run time. Names are resolved by c-ares, since glibc's resolver may load modules of the machine.
  by_cmake libcurl_static -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_LIBRARY_PATH="$prefix/lib/$triplet" -DCMAKE_FIND_LIBRARY_SUFFIXES=.a \
    -DCURL_USE_PKGCONFIG=OFF -DBUILD_STATIC_LIBS=ON -DBUILD_CURL_EXE=OFF -DBUILD_TESTING=OFF -DBUILD_LIBCURL_DOCS=OFF \
    -DBUILD_MISC_DOCS=OFF -DENABLE_CURL_MANUAL=OFF -DHTTP_ONLY=ON -DENABLE_ARES=ON -DCURL_USE_OPENSSL=ON -DUSE_NGHTTP2=ON \
    -DCURL_ZSTD=ON -DCURL_BROTLI=OFF -DUSE_LIBIDN2=OFF -DCURL_USE_LIBPSL=OFF -DCURL_USE_LIBSSH2=OFF -DCURL_CA_BUNDLE=none \
    -DCURL_CA_PATH=none -DCURL_DISABLE_NETRC=ON -DCURL_DISABLE_OPENSSL_AUTO_LOAD_CONFIG=ON
  into build/lib/libcurl.a include/curl
}

# Leaves out what is never used, 1 MiB of the program. No exception passes through these libraries, since they call nothing of
# ours; and no SQL of ours has functions by which SQLite would bring along libm's tables.
slim() {
  local library function lib=$prefix/lib/$triplet functions=()
  for library in crypto ssl sqlite3 zstd z utf8proc; do
    "$triplet-objcopy" -D --remove-section=.eh_frame --remove-section=.rela.eh_frame "$lib/lib$library.a"
  done
  for function in acos acosh asin asinh atan atan2 atanh cos cosh exp log1p pow sin sinh tan tanh; do
    functions+=("--weaken-symbol=$function")
  done
  "$triplet-objcopy" -D "${functions[@]}" "$lib/libsqlite3.a"
}
