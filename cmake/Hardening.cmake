# Hardens release builds, so that a bug is harder to exploit; packaging/test_hardening verifies it.
# CET is left out: it needs start-up code marked for it, which Debian 12 does not have.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  add_compile_options(-fstack-protector-strong)
  if(APPLE) # where headers check no calls of C++, and the linker does the rest for every program
    add_compile_options(-U_LIBCPP_HARDENING_MODE -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_FAST)
  else()
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS)
    add_link_options(-pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  endif()
endif()
