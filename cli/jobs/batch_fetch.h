// Several requests under way at once, awaited together.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "kube/client.h"

namespace trainctl::cli {

struct Listing {
  kube::Resource resource;
  std::string ns;  // "" = all namespaces
  kube::ListOptions options = {};
  std::string name = {};  // set: this one object instead of a list
  bool first_page_only = false;
  net::Lane lane = net::Lane::control;  // that the first page comes by
  // Results.
  std::vector<Json> objects = {};
  std::optional<kube::Failure> failure = {};
};

// Fetches the first pages together; the rare listing that has more is then read in full.
void fetch_together(kube::Client& client, std::vector<Listing>& listings);

// The server does not know this kind of object at all.
bool kind_missing(const kube::Failure& failure);
// It knows the kind and has no such object.
bool object_missing(const kube::Failure& failure);

}  // namespace trainctl::cli
