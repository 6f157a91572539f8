// Jobs in few words, as the operator reads them.
#pragma once

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/yaml.h"
#include "manifest/operator/operated_job.h"

namespace trainctl::testing {

// YAML text to JSON; the test's own text must be right.
inline Json from_text(std::string_view text) {
  Result<Json> value = from_yaml(text, "test");
  REQUIRE_MESSAGE(value.has_value(), text);
  return *std::move(value);
}

// A job of a kind (by its alias) with a replica map in flow-style YAML; "T" stands for a template
// of the kind's container. `spec` is what else stands in the spec.
inline Json make_job(std::string_view alias, std::string_view name, std::string replicas,
                     std::string_view spec = "") {
  const job::Kind& kind = *job::find_kind(alias);
  const std::string container =
      cat("template: {spec: {containers: [{name: ", kind.container, ", image: i}]}}");
  for (auto at = replicas.find("T}"); at != std::string::npos;
       at = replicas.find("T}", at + container.size())) {
    replicas.replace(at, 1, container);
  }
  const std::string map(kind.replica_specs.substr(std::string_view("/spec/").size()));
  return from_text(cat("apiVersion: kubeflow.org/v1\nkind: ", kind.resource.kind,
                       "\nmetadata: {name: ", name, ", namespace: ml}\nspec:\n  ", map, ": ",
                       replicas, "\n", spec));
}

inline job::OperatedJob read_job(const Json& job) {
  return job::operated_job(*job::kind_of(job), job);
}

}  // namespace trainctl::testing
