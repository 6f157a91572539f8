// Reads Python pickles that hold data only: one that would call or import anything is refused.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace trainctl::job {

struct PickleValue {
  enum class Kind { other, integer, text, list, dict };  // True is 1, a tuple a list

  Kind kind = Kind::other;
  std::int64_t number = 0;
  std::string_view text = {};             // inside the pickle
  std::vector<std::uint32_t> parts = {};  // of a list; of a dict: key, value, key, value
};

// Its values may refer to each other in circles, so a walk through them needs a bound.
struct Pickle {
  std::vector<PickleValue> values;
  std::uint32_t root = 0;

  // The value of a key of a dict of at most 64 keys; nullptr for anything else.
  const PickleValue* find(const PickleValue& dict, std::string_view key) const;
};

// Reads what PyTorch and Python's own pickler write for data, from protocol 2 on; at most a million
// values. The bytes must outlive the result.
Result<Pickle> read_pickle(std::string_view bytes);

}  // namespace trainctl::job
