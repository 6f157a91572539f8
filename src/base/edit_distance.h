// How far one word is from another, in slips of a typing hand.
#pragma once

#include <cstddef>
#include <string_view>

namespace trainctl {

// Edits (insert, delete, replace, swap of neighbours) that make one word of the other. Swaps count
// once, being the commonest slip.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace trainctl
