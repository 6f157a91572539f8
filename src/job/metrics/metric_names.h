// The names that training programs give to values, and which of two values is the better one.
#pragma once

#include <optional>
#include <string_view>

namespace trainctl::job {

enum class Better { lower, higher, neither };

// What the words of a name say: "train/CE loss" and "val_acc" are known by one of theirs. nullopt
// for a name that training programs do not use.
std::optional<Better> known_metric(std::string_view name);
// Compares values of a metric: the lower cost is the better one, whichever way the metric goes.
double cost_of(std::string_view name, double value);
// True for a known name of which one value is better than another: not for "lr".
bool is_score(std::string_view name);
// True for the few names that stand before a number without a sign between: "loss 6.2".
bool needs_no_sign(std::string_view name);

}  // namespace trainctl::job
