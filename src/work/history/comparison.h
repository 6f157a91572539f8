// The differences between two manifests. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"

namespace trainctl::work {

// A field that differs; null = it is not there. A list of plain values is one field.
struct Difference {
  std::string path;  // "spec.pytorchReplicaSpecs.Worker.template.spec.containers[pytorch].image"
  Json a, b;
};

// In the order of the fields of `a`, then those that only `b` has. Elements of lists are matched by
// their name, else by their place. The names of the two jobs are no difference, nor is the
// annotation about their code.
std::vector<Difference> differences(const Json& a, const Json& b);

// A value on one line: words as a shell takes them, objects as JSON; "" = it is not there.
std::string value_words(const Json& value);

}  // namespace trainctl::work
