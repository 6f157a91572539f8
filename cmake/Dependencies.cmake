# Finds trainctl's libraries, all from the distribution; ARCHITECTURE.md says why each was chosen.
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
if(TRAINCTL_STATIC)
  include(Static)
  return()
endif()

find_package(CURL 7.85 REQUIRED) # the first with all options we set
find_package(yaml-cpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBUV REQUIRED IMPORTED_TARGET libuv)
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)
set(MICROHTTPD_LIBRARY PkgConfig::MICROHTTPD)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
find_path(UTF8PROC_INCLUDE utf8proc.h REQUIRED)
find_path(RE2_INCLUDE re2/re2.h REQUIRED)
find_library(WSLAY wslay REQUIRED) # Debian has no static one
find_library(ARCHIVE archive REQUIRED)

# A released program carries the small libraries and the C++ runtime in itself: it starts faster and
# needs a tenth less memory (measured: 17.2 to 15.9 MiB for one `get`). libcurl, libarchive, OpenSSL
# and libmicrohttpd stay shared, because their security fixes must reach it (and Debian's static libmicrohttpd needs GnuTLS).
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  find_library(YAML_CPP libyaml-cpp.a REQUIRED)
  find_library(UV libuv_a.a REQUIRED)
  find_library(SQLITE_LIBRARY libsqlite3.a REQUIRED)
  find_library(UTF8PROC libutf8proc.a REQUIRED)
  find_library(RE2 libre2.a REQUIRED)
  # Unused functions are left out, since each page of code that is read costs memory.
  add_compile_options(-ffunction-sections -fdata-sections)
  set(RELEASE_LINK_OPTIONS -static-libstdc++ -static-libgcc -Wl,--gc-sections)
else()
  set(YAML_CPP yaml-cpp)
  set(UV PkgConfig::LIBUV)
  set(SQLITE_LIBRARY PkgConfig::SQLITE)
  find_library(UTF8PROC utf8proc REQUIRED) # its pkg-config file defines macros, which would part the shared precompiled header
  find_library(RE2 re2 REQUIRED) # so do the threads of its pkg-config file
  set(RELEASE_LINK_OPTIONS "")
endif()
