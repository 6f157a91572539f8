// Whether a call of a function of the C library is the one that fails, and how to make the real
// call.
#pragma once

#include <dlfcn.h>

// In the report: of a call without a descriptor.
constexpr int k_no_descriptor = 0x7fff;

enum class Outcome { real, fail, less };

// Counts the call. errno is set where it fails.
Outcome outcome_of(const char* call, int fd);

template <typename Function>
Function real(Function, const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
