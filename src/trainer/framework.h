// The table of what Kubeflow Trainer v2 offers for each job kind of the v1 operator.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// The replicated job, and its container, that Trainer configures (pkg/constants/constants.go).
inline constexpr std::string_view k_node = "node";
// The replicated job that starts the nodes' processes, where there is one.
inline constexpr std::string_view k_launcher = "launcher";
inline constexpr std::string_view k_label_step = "trainer.kubeflow.org/trainjob-ancestor-step";
inline constexpr std::string_view k_label_framework = "trainer.kubeflow.org/framework";

// The row of TrainJob in the table of kinds.
const Kind& train_job_kind();

// The size of a job as its programs see it.
struct World {
  std::int64_t nodes = 1;
  std::int64_t processes = 1;  // of each node
};

struct Framework {
  std::string_view alias;         // alias of the row in kinds()
  std::string_view runtime = "";  // the ClusterTrainingRuntime that Trainer brings; "" = none
  std::string_view policy = "";   // the runtime's member of mlPolicy; "" = plain nodes
  // The variables that Trainer sets itself, and refuses in a TrainJob.
  std::span<const std::string_view> reserved = {};
  std::string_view leader_becomes =
      "";  // what the leading role becomes, as its loss says; "" = it stays the same
  // The variables that the v1 operator gives the programs of this kind, and Trainer does not; null
  // = there are none.
  std::vector<Json> (*variables)(const World& world) = nullptr;
};

// nullptr for a kind that no TrainJob can stand for.
const Framework* find_framework(const Kind& kind);

}  // namespace trainctl::job
