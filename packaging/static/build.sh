# How each library that Debian has no usable static form of is built; sourced by packaging/static/libraries, which sets
# prefix: where the other libraries are, and the new one goes; and, by packaging/architectures.sh, the machine it is for.
# shellcheck shell=bash disable=SC2154,SC2317

flags='-Os -fPIC -ffunction-sections -fdata-sections -fstack-protector-strong -D_FORTIFY_SOURCE=3'

includes() { printf -- '-I%s/include -I%s/include/%s -ffile-prefix-map=%s=.' "$prefix" "$prefix" "$triplet" "$part"; }

# into LIBRARY.a HEADER_DIRECTORY: installs what a build made.
into() {
  cp "$1" "$prefix/lib/$triplet/"
  cp -r "$2" "$prefix/include/"
}

build_wslay() {
  cd "$1"
  # shellcheck disable=SC2046,SC2086
  "$triplet-gcc" $flags $(includes) -DHAVE_ARPA_INET_H -DHAVE_NETINET_IN_H -Iincludes -c wslay_{event,frame,net,queue}.c
  "$triplet-ar" rcsD libwslay.a wslay_*.o
  into libwslay.a includes/wslay
}

build_microhttpd() {
  local file
  cd "$1"
  # Debian's patches must not start autoconf: each generated file is made newer than what it comes from.
  for file in aclocal.m4 configure MHD_config.h.in; do find . -name "$file" -exec touch {} +; done
  find . -name Makefile.in -exec touch {} +
  ./configure --quiet --build=x86_64-linux-gnu --host="$triplet" --disable-shared --enable-static --with-pic \
    --disable-dependency-tracking --disable-https --disable-curl --disable-doc --disable-examples --disable-tools CFLAGS="$flags -w $(includes)"
  make -s -j "$(nproc)" -C src/microhttpd
  cp src/microhttpd/.libs/libmicrohttpd.a "$prefix/lib/$triplet/"
  cp src/include/microhttpd.h "$prefix/include/"
}

build_curl() {
  local for_architecture
  cd "$1"
  mapfile -t for_architecture < <(cmake_for_architecture)
  # A configuration file of the machine's OpenSSL could name modules of another version. A bundle of CAs is looked for at
  # run time. Names are resolved by c-ares, since glibc's resolver may load modules of the machine.
  cmake -G Ninja -S . -B build "${for_architecture[@]}" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$flags $(includes)" \
    -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_LIBRARY_PATH="$prefix/lib/$triplet" -DCMAKE_FIND_LIBRARY_SUFFIXES=.a \
    -DCURL_USE_PKGCONFIG=OFF -DBUILD_SHARED_LIBS=OFF -DBUILD_STATIC_LIBS=ON -DBUILD_CURL_EXE=OFF -DBUILD_TESTING=OFF \
    -DBUILD_LIBCURL_DOCS=OFF -DBUILD_MISC_DOCS=OFF -DENABLE_CURL_MANUAL=OFF -DHTTP_ONLY=ON -DENABLE_ARES=ON \
    -DCURL_USE_OPENSSL=ON -DUSE_NGHTTP2=ON -DCURL_ZSTD=ON -DCURL_BROTLI=OFF -DUSE_LIBIDN2=OFF -DCURL_USE_LIBPSL=OFF \
    -DCURL_USE_LIBSSH2=OFF -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none -DCURL_DISABLE_NETRC=ON \
    -DCURL_DISABLE_OPENSSL_AUTO_LOAD_CONFIG=ON
  cmake --build build --target libcurl_static
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
