// Arrays whose jobs are created while the first ones run: `submit --array --max-parallel`.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/loop/wait_limit.h"
#include "work/find/find_job.h"

namespace trainctl::work {

class ArrayGrowth {
 public:
  explicit ArrayGrowth(Access& access) : access_(access) {}

  // Expects the jobs that the array lacks, if it lacks some.
  void add(const job::JobRef& array, const std::vector<FoundJob>& jobs);
  bool expects_more() const { return !arrays_.empty(); }

  // The jobs that were created since the last call. `idle`: nothing else is left to do, so wait for
  // the next job, for as long as its creator takes.
  std::vector<FoundJob> take(bool idle);
  // Each array that still lacks jobs, with the error that says so.
  std::vector<std::pair<job::JobRef, Error>> lacking() const;

 private:
  struct Array {
    job::JobRef ref;
    std::set<std::string> known;  // uids
    Error lack;
    Time changed;  // when the last of its jobs was created or ended
  };
  std::vector<FoundJob> look();

  Access& access_;
  std::vector<Array> arrays_;
  std::vector<std::pair<job::JobRef, Error>> lacking_;
};

}  // namespace trainctl::work
