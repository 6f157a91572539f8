# How the libraries that Linux gets from Debian's static packages are built for macOS; sourced beside build.sh, which has the others.
# They call no framework of Apple's, so no SDK is needed.
# shellcheck shell=bash disable=SC2154,SC2317

# The parts that slim takes out for Linux are left out here from the start.
flags+=' -fno-asynchronous-unwind-tables'

build_zlib() {
  archive z '-DHAVE_UNISTD_H -Dfdopen=fdopen' ./*.c
  into libz.a zlib.h zconf.h
}

build_libzstd() {
  archive zstd -DZSTD_DISABLE_ASM lib/{common,compress,decompress}/*.c
  into libzstd.a lib/zstd.h lib/zstd_errors.h
}

build_utf8proc() {
  archive utf8proc -DUTF8PROC_STATIC utf8proc.c
  into libutf8proc.a utf8proc.h
}

build_yaml-cpp() {
  archive yaml-cpp '-Iinclude -w' src/*.cpp
  into libyaml-cpp.a include/yaml-cpp
}

build_re2() {
  sed -i "s|\"/usr/share/unicode\"|\"$part/usr/share/unicode\"|" re2/unicode.py
  perl re2/make_perl_groups.pl >re2/perl_groups.cc
  /usr/bin/python3 re2/make_unicode_casefold.py >re2/unicode_casefold.cc
  /usr/bin/python3 re2/make_unicode_groups.py >re2/unicode_groups.cc
  archive re2 '-I. -std=c++17' re2/*.cc util/{rune,strutil}.cc
  mkdir "$prefix/include/re2"
  into libre2.a
  cp re2/{re2,set,stringpiece}.h "$prefix/include/re2/"
}

build_sqlite3() {
  ./configure --quiet --disable-tcl
  make sqlite3.c
  archive sqlite3 '-DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_SECURE_DELETE' sqlite3.c
  into libsqlite3.a sqlite3.h
}

build_libuv1() {
  by_cmake uv_a -DLIBUV_BUILD_TESTS=OFF -DLIBUV_BUILD_BENCH=OFF
  into build/libuv_a.a include/*
}

build_nghttp2() {
  by_cmake nghttp2_static -DENABLE_LIB_ONLY=ON -DENABLE_STATIC_LIB=ON -DENABLE_SHARED_LIB=OFF
  into build/lib/libnghttp2.a lib/includes/nghttp2 build/lib/includes/nghttp2
}

build_c-ares() {
  # The header of macOS that defines it is not among zig's.
  local defines=-DINADDRSZ=4
  by_cmake c-ares -DCARES_STATIC=ON -DCARES_SHARED=OFF -DCARES_BUILD_TOOLS=OFF -DHAVE_LIBRESOLV=
  into build/lib/libcares.a include/ares{,_dns,_rules,_version}.h build/ares_build.h
}

build_libarchive() {
  local feature off=()
  for feature in TAR CPIO CAT TEST XATTR ACL ICONV LZ4 LZO LZMA ZSTD BZip2 LIBB2 LIBXML2 EXPAT OPENSSL CNG NETTLE MBEDTLS PCREPOSIX LIBGCC; do
    off+=("-DENABLE_$feature=OFF")
  done
  by_cmake archive_static "${off[@]}" -DENABLE_ZLIB=ON -DZLIB_INCLUDE_DIR="$prefix/include" -DZLIB_LIBRARY="$prefix/lib/$triplet/libz.a"
  into build/libarchive/libarchive.a libarchive/archive.h libarchive/archive_entry.h
}

build_openssl() {
  # The flag -arch of this target is nothing that zig knows: it has -target.
  sed -i 's/-arch [a-z0-9_]*//' Configurations/10-main.conf
  CC=$triplet-gcc AR=$triplet-ar RANLIB=$triplet-ranlib perl Configure "darwin64-$machine-cc" no-shared no-tests no-engine no-dso \
    no-module no-legacy no-comp no-ui-console no-ssl3 no-idea no-rc5 no-mdc2 no-md2 no-ec2m --prefix=/usr --openssldir=/etc/ssl \
    "$flags -ffile-prefix-map=$part=."
  make -s -j "$(nproc)" build_generated libcrypto.a libssl.a
  into libcrypto.a include/openssl
  into libssl.a
}
