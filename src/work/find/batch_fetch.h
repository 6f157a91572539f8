// Runs several requests in parallel and awaits them together.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/value/json.h"
#include "kube/client/client.h"

namespace trainctl::work {

struct Listing {
  kube::Resource resource;
  std::string ns;  // "" = all namespaces
  kube::ListOptions options = {};
  std::string name = {};  // when set, this one object instead of a list
  bool first_page_only = false;
  net::Lane lane = net::Lane::control;  // lane of the first page
  bool metadata_only = false;           // of the one object
  Duration patience{};                  // of the only attempt; 0 = the client's time and retries
  std::function<Json(Json)> part = {};  // what is kept of each object of a list; null = all
  // Results.
  std::vector<Json> objects = {};
  std::optional<kube::Failure> failure = {};
};

// Any other request, whose answer is one object.
struct Call {
  net::Request request;
  // Result.
  std::variant<Json, kube::Failure> answer = {};
};

// Fetches the first pages in parallel, and makes the calls beside them; the rare listing with more
// pages is then read completely.
void fetch_together(kube::Client& client, std::vector<Listing>& listings,
                    std::vector<Call>* calls = nullptr);

// True when the server does not know this kind of object at all.
bool kind_missing(const kube::Failure& failure);
// True when it knows the kind but has no such object.
bool object_missing(const kube::Failure& failure);

}  // namespace trainctl::work
