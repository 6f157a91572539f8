// Words for the fields that a conversion loses.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "job/trainer/conversion.h"

namespace trainctl::job {

// Adds a loss for each value at or below the pointer; objects are taken apart, lists are not.
void lose(const std::string& pointer, const Json& value, std::vector<Loss>& losses);

// The same for a pod template, whose containers are taken apart as well.
void lose_pod(const std::string& pointer, Json pod_template, std::vector<Loss>& losses);

}  // namespace trainctl::job
