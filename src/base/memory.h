// Ends the program when memory runs out inside a C library, which says so by a null pointer.
#pragma once

#include <new>

namespace trainctl {

// Does what `new` does without memory: calls the handler that main() has set, which ends the
// program.
inline void need_memory(bool got_it) {
  if (got_it) return;
  if (const auto handler = std::get_new_handler(); handler != nullptr) handler();
  throw std::bad_alloc();
}

}  // namespace trainctl
