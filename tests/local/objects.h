// Helpers that create and read objects in tests of the embedded cluster.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/json.h"
#include "local/resources.h"
#include "local/store/store.h"
#include "support/fakes.h"

namespace trainctl::testing::local_objects {

using namespace trainctl::local;

inline const ServedResource& served(std::string_view plural) {
  for (const ServedResource& resource : served_resources()) {
    if (resource.resource.plural == plural) return resource;
  }
  FAIL("no such resource: " << plural);
  return served_resources().front();
}

inline std::unique_ptr<Store> open_store(Loop& loop, const std::string& path = ":memory:") {
  Result<std::unique_ptr<Store>> store = Store::open(loop, path);
  REQUIRE_MESSAGE(store.has_value(), store.error().message);
  return *std::move(store);
}

inline Json named(std::string_view ns, std::string_view name) {
  return {{"metadata", {{"name", name}, {"namespace", ns}}}};
}

inline Json pod(std::string_view name, std::string_view phase = "Running") {
  Json object = named("default", name);
  object["spec"] = {{"nodeName", "here"}, {"terminationGracePeriodSeconds", 30}};
  object["status"] = {{"phase", phase}};
  return object;
}

inline Json good(Answered<Json> answer) {
  if (const ApiError* error = std::get_if<ApiError>(&answer)) FAIL(error->message);
  return std::get<Json>(std::move(answer));
}

inline ApiError refused(Answered<Json> answer) {
  REQUIRE_MESSAGE(std::holds_alternative<ApiError>(answer), "it was accepted");
  return std::get<ApiError>(std::move(answer));
}

inline std::string version_of(const Json& object) {
  return text_at(object, "/metadata/resourceVersion");
}

inline Json owner_reference(const Json& owner) {
  return {{"apiVersion", text_at(owner, "/apiVersion")},
          {"kind", text_at(owner, "/kind")},
          {"name", text_at(owner, "/metadata/name")},
          {"uid", text_at(owner, "/metadata/uid")},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

inline Json owned_by(Json object, const Json& owner) {
  object["metadata"]["ownerReferences"] = Json::array({owner_reference(owner)});
  return object;
}

// Runs everything that is due now.
inline void settle(Loop& loop) {
  for (int turn = 0; turn < 20; ++turn) {
    bool done = false;
    const HandlePtr handle = loop.after(Duration::zero(), [&] { done = true; });
    loop.run_until([&] { return done; });
  }
}

inline void pass(Loop& loop, Duration time) {
  bool done = false;
  const HandlePtr handle = loop.after(time, [&] { done = true; });
  loop.run_until([&] { return done; });
}

}  // namespace trainctl::testing::local_objects
