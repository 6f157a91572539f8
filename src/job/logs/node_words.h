// A node's own words within a log: the kubelet writes the error that ends a stream behind its
// bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace trainctl::job {

// Where they begin in the unfinished last line of an answer; npos when all of it is the
// container's. `followed`: a stream that is followed asks the runtime for the container every
// second, and may end with the runtime's answer; one that is not may only end with an error of the
// file.
std::size_t node_words_at(std::string_view unfinished_line, bool followed);

}  // namespace trainctl::job
