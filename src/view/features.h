// The table of features: what users ask for, a line that does it, and a test that shows it.
#pragma once

#include <span>
#include <string_view>

namespace trainctl::view {

// A feature that trainctl has, or one that is missing.
struct Feature {
  std::string_view name;
  std::string_view say;  // a line that uses it, without "trainctl"; "" = missing
  // A golden case ("submit/plain"). Where no case can show it, a test or script, as a path from the
  // root of the tree.
  std::string_view shown_by = "";
  // The end-to-end scenario: "ddp", or "local/gpus" below scenarios-local; "" = none.
  std::string_view scenario = "";
  std::string_view instead = "";  // of a missing feature: the nearest one; "" = none
};

struct FeatureArea {
  std::string_view name;
  std::span<const Feature> features;
};

std::span<const FeatureArea> feature_areas();

}  // namespace trainctl::view
