// Takes fields out of a job, and describes those that a conversion loses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "job/trainer/conversion.h"

namespace trainctl::job {

// Removes the value at the pointer and returns it; null when there is none.
Json take(Json& object, std::string_view pointer);

// Adds a loss for each value at or below the pointer; objects are taken apart, lists are not.
void lose(const std::string& pointer, const Json& value, std::vector<Loss>& losses);

// The same for a pod template, whose containers are taken apart as well.
void lose_pod(const std::string& pointer, Json pod_template, std::vector<Loss>& losses);

}  // namespace trainctl::job
