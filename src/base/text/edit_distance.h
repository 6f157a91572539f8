// The distance between two words, counted in typing errors.
#pragma once

#include <cstddef>
#include <string_view>

namespace trainctl {

// The number of edits (insert, delete, replace, swap of neighbours) that turn one word into the
// other. A swap counts once, because it is the most common typing error.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace trainctl
