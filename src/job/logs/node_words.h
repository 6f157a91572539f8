// Finds a node's error message inside a log: the kubelet appends the error that ends a stream to
// its bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace trainctl::job {

// The position where the node's message begins in the unfinished last line of an answer; npos when
// the container wrote all of it. In a followed stream (`followed`) the kubelet asks the runtime
// about the container every second, so the stream may end with the runtime's error; other streams
// can only end with a file error.
std::size_t node_words_at(std::string_view unfinished_line, bool followed);

}  // namespace trainctl::job
