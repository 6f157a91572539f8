// A hash of bytes for the inner loop of every log, where std::hash would be a third of the work.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainctl {

// The same text gives the same number within one run of the program. Two different ones share
// theirs by chance only, once in 2^64; whoever wants them to can find such texts.
std::uint64_t hash_of(std::string_view bytes);

}  // namespace trainctl
