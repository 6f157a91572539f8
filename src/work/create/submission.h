// A submit line on its way to the cluster: as the job of v1 that it renders, as a job of the API
// that replaced v1, or as a TrainJob of Kubeflow Trainer v2.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/text/words.h"
#include "trainer/conversion.h"
#include "work/access.h"
#include "work/create/manifest.h"
#include "work/find/runtimes.h"

namespace trainctl::work {

enum class Api {
  served,     // v1's, or another API's if the cluster serves only that one
  v1,         // kubeflow.org/v1
  successor,  // job::successor_of: kubeflow.org/v2beta1 of an MPIJob
  trainer,    // trainer.kubeflow.org
};

inline constexpr Word<Api> k_apis[] = {
    {"auto", Api::served}, {"v1", Api::v1}, {"v2beta1", Api::successor}, {"trainer", Api::trainer}};

struct ApiChoice {
  Api api = Api::served;
  std::string runtime;  // --runtime; "" = the one of the job's framework
};

// --api and --runtime together. Code::usage where they contradict each other or --local.
Result<ApiChoice> api_choice(const Access& access, Api api, const std::string& runtime);

class Submission {
 public:
  // Makes the job for the chosen API, and refuses (Code::usage) flags that the API cannot honour.
  // If `for_a_cluster`, it looks up runtimes, and the versions of a kind that has several. It
  // creates nothing.
  static Result<Submission> prepare(Access& access, Manifest rendered, const ApiChoice& choice,
                                    bool for_a_cluster);

  // Returns the manifest that will be created.
  const Manifest& manifest() const { return made_ ? *made_ : rendered_; }
  // Says in a line what the job will take of the cluster.
  std::string footprint() const;

  // Calls `attempt`, and calls it again if the cluster's refusal shows that it serves another API
  // or an older Trainer. A cluster that accepts the first attempt gets no other request.
  Status send(const std::function<Status(const Manifest&)>& attempt);

 private:
  Submission(Access& access, Manifest rendered, ApiChoice choice)
      : access_(access), rendered_(std::move(rendered)), choice_(std::move(choice)) {}

  Status make();
  Status choose_version();
  Status choose_runtime();
  Error refused(const std::vector<job::Loss>& losses) const;
  Result<bool> switch_api(const Error& refusal);
  Result<bool> switch_patch(const Error& refusal);
  Error explained(Error refusal) const;
  std::string company() const;

  Access& access_;
  Manifest rendered_;  // of v1
  ApiChoice choice_;
  job::Target target_;
  std::optional<Manifest> made_;  // the job of another API
  bool knows_patch_ = false;
  bool has_neither_ = false;  // the cluster serves none of the APIs
  bool told_of_env_ = false;
  bool warned_ = false;  // of what the made job does differently
};

}  // namespace trainctl::work
