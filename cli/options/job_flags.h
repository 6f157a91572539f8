// The flag table of src/job turned into CLI11 options; no job flag is named here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "job/kind/kind.h"
#include "job/manifest/flags.h"

namespace CLI {
class Option;
}

namespace trainctl::cli {

class JobFlags {
 public:
  // Defines the flags of a kind; of every kind when it is null, as for a manifest not read yet.
  static std::shared_ptr<JobFlags> define(const Definition& definition, const job::Kind* kind);

  // What was typed, in the order typed. Code::usage for a flag the kind does not have, and for one
  // that has no meaning outside Run:ai.
  Result<std::vector<job::FlagUse>> uses(const job::Kind& kind) const;

 private:
  struct Entry {
    const CLI::Option* option;
    const job::Flag* flag;
    std::string role;  // prefix; "" = every role
  };

  explicit JobFlags(const CLI::App& app) : app_(app) {}
  void add(CLI::App& app, const job::Flag& flag, const std::string& role);
  void add_named(const Definition& definition, const job::Kind* kind);
  void add_every(CLI::App& app, const job::Kind* kind);

  const CLI::App& app_;
  std::vector<Entry> entries_;
};

// A job flag by the long name it is typed with; `flag` is null when there is none.
struct JobFlagName {
  const job::Flag* flag = nullptr;
  std::string role;  // prefix: "worker" of "worker-memory"; "" = every role
};
JobFlagName find_job_flag(const std::string& name, const job::Kind* kind);

// "submit-tf, submit-mpi": the commands that have the job flag "--ps"; "" when it is for all or
// none.
std::string kinds_with_flag(const std::string& flag);

}  // namespace trainctl::cli
