// A stream of JSON values, one a line, out of chunks that end anywhere.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace trainctl::kube {

class JsonLines {
 public:
  // `on_line` gets every complete line that is not blank; returning false drops the rest of the
  // chunk and everything kept. Code::unreachable for a line above 64 MiB.
  Status feed(std::string_view chunk, const std::function<bool(std::string_view)>& on_line);

 private:
  std::string rest_;
};

}  // namespace trainctl::kube
