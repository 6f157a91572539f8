// Splits a stream of JSON values, one per line, that arrives in arbitrary chunks.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace trainctl::kube {

class JsonLines {
 public:
  // Calls `on_line` with every complete line that is not blank; when it returns false, the rest of
  // the chunk and everything buffered is dropped. Code::unreachable for a line above 64 MiB.
  Status feed(std::string_view chunk, const std::function<bool(std::string_view)>& on_line);

 private:
  std::string rest_;
};

}  // namespace trainctl::kube
