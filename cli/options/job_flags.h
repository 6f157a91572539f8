// Turns the flag table of src/manifest into CLI11 options; no job flag is named here.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "manifest/flags/flags.h"
#include "manifest/kind/kind.h"

namespace CLI {
class Option;
}

namespace trainctl::cli {

class JobFlags {
 public:
  // Reads the typed flags, once the job's kind is known. Errors are those of uses().
  using Reader = std::function<Result<std::vector<job::FlagUse>>(const job::Kind& kind)>;
  // Defines the flags (Typed::defined says which) of a kind, or of every kind when it is null
  // because the manifest has not been read yet.
  static Reader define(const Definition& definition, const job::Kind* kind);

  // The given flags: configured ones, then typed ones in their order. Code::usage for a flag that
  // the kind does not have, and for one that only makes sense with Run:ai.
  Result<std::vector<job::FlagUse>> uses(const job::Kind& kind) const;

 private:
  struct Entry {
    const CLI::Option* option;
    const job::Flag* flag;
    std::string role;  // prefix; "" = every role
  };

  explicit JobFlags(const CLI::App& app) : app_(app) {}
  void add(CLI::App& app, const job::Flag& flag, const std::string& role);
  void add_named(CLI::App& app, const std::string& name, const job::Kind* kind);
  std::vector<const Entry*> given() const;
  void add_every(CLI::App& app, const job::Kind* kind);

  const CLI::App& app_;
  std::vector<Entry> entries_;
};

}  // namespace trainctl::cli
