# The libraries of a static program, from the directory that packaging/static/libraries has made.
set(triplet "${CMAKE_SYSTEM_PROCESSOR}-linux-gnu")
if(APPLE)
  string(REPLACE arm64 aarch64 triplet "${CMAKE_SYSTEM_PROCESSOR}-macos")
endif()
set(static_lib "${TRAINCTL_STATIC}/lib/${triplet}")
include_directories(BEFORE SYSTEM "${TRAINCTL_STATIC}/include" "${TRAINCTL_STATIC}/include/${triplet}")
file(READ "${TRAINCTL_STATIC}/linked-libraries.txt" linked) # fails here, not in the linker, when there is none

add_library(PkgConfig::CRYPTO INTERFACE IMPORTED)
target_link_libraries(PkgConfig::CRYPTO INTERFACE "${static_lib}/libcrypto.a")
foreach(library IN ITEMS curl nghttp2 cares ssl crypto zstd z)
  list(APPEND CURL_LIBRARIES "${static_lib}/lib${library}.a")
endforeach()
set(ARCHIVE "${static_lib}/libarchive.a" "${static_lib}/libz.a")
set(CURL_INCLUDE_DIRS "${TRAINCTL_STATIC}/include")
set(YAML_CPP "${static_lib}/libyaml-cpp.a")
set(UV "${static_lib}/libuv_a.a")
set(MICROHTTPD_LIBRARY "${static_lib}/libmicrohttpd.a")
set(SQLITE_LIBRARY "${static_lib}/libsqlite3.a")
set(UTF8PROC "${static_lib}/libutf8proc.a")
set(RE2 "${static_lib}/libre2.a")
set(WSLAY "${static_lib}/libwslay.a")

# A function is kept only where it is called, since each page of code that is read costs memory.
add_compile_options(-ffunction-sections -fdata-sections)
# The same bytes from every directory: script/package makes the paths in unity files relative as well.
add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.")
set(CCACHE_ACROSS_DIRECTORIES "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}")
if(APPLE)
  # Never this machine's headers, beside which these stand.
  set_target_properties(CLI11::CLI11 nlohmann_json::nlohmann_json PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${TRAINCTL_STATIC}/include")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON) # zig takes no compiled header
  set(RELEASE_LINK_OPTIONS -Wl,-dead_strip -s)
  return()
endif()

# Optimised as one program, which is 3 % smaller for it.
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
set(RELEASE_LINK_OPTIONS -static-pie -Wl,--gc-sections
    -Wl,--undefined=sqlite3Fts3Init) # found in src/base/file/linked_libraries.cpp, before SQLite is searched
if(CMAKE_CROSSCOMPILING)
  # For the C library, which is beside the others then. Debian 12's linker packs no relocations for arm64.
  list(APPEND RELEASE_LINK_OPTIONS "-B${static_lib}" "-L${static_lib}")
else()
  # Packed relocations are a thirtieth of the plain ones, which are 0.8 MB.
  list(APPEND RELEASE_LINK_OPTIONS -Wl,-z,pack-relative-relocs)
endif()
