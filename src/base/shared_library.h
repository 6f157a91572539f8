// A library that is loaded when it is first needed, because loading it takes longer than most
// commands do.
#pragma once

#include <string>

#include <dlfcn.h>

namespace trainctl {

struct SharedLibrary {
  void* handle = nullptr;
  std::string trouble;  // why it cannot be used; "" = it can
};

// It is never unloaded, because objects it made may outlive its user.
inline SharedLibrary load_shared(const char* name) {
  SharedLibrary library{dlopen(name, RTLD_LAZY | RTLD_LOCAL), ""};
  if (library.handle == nullptr) library.trouble = dlerror();
  return library;
}

}  // namespace trainctl

// The function `name` of the library that `loaded()` gives, looked up once.
#define TRAINCTL_LOADED(loaded, name)                                       \
  ([] {                                                                     \
    static const auto k_function =                                          \
        reinterpret_cast<decltype(&(name))>(dlsym(loaded().handle, #name)); \
    return k_function;                                                      \
  }())
