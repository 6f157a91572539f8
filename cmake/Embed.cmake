# embed_files(target namespace file...): compiles files into TARGET as
# `std::span<const EmbeddedFile> NAMESPACE::embedded_files()` (declared in base/embedded.h).
# Done at configure time by CMake alone; editing an embedded file re-configures.
function(embed_files target namespace)
  set(entries "")
  foreach(path IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    file(READ "${path}" content)
    get_filename_component(name "${path}" NAME)
    string(APPEND entries "    {\"${name}\", R\"~embed~(${content})~embed~\"},\n")
  endforeach()
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/${namespace}_embedded.cpp")
  file(CONFIGURE OUTPUT "${generated}" @ONLY CONTENT
"#include \"base/embedded.h\"

namespace trainctl::@namespace@ {
namespace {
constexpr EmbeddedFile k_files[] = {
@entries@};
}  // namespace
std::span<const EmbeddedFile> embedded_files() { return k_files; }
}  // namespace trainctl::@namespace@
")
  target_sources(${target} PRIVATE "${generated}")
endfunction()
