// Identifiers, directory and user name come from the system unless a test sets them.
#include "work/access.h"

#include <random>
#include <utility>

#include "base/text/text.h"

namespace trainctl::work {
namespace {

std::string random_id() {
  std::random_device source;
  std::string id;
  while (id.size() < 32) id += hex_digits(source(), 8);
  return id;
}

}  // namespace

Access::Access(Console& console_, Files& files_, Loop& loop_, Environment environment_)
    : pinned_files_(std::make_unique<PinnedFiles>(files_)),
      console(console_),
      files(*pinned_files_),
      loop(loop_),
      environment(std::move(environment_)),
      unique_id(random_id) {}

void Access::notice_once(const std::string& text) {
  if (noticed_.insert(text).second) console.notice(text);
}

std::string Access::working_directory() const {
  return directory.empty() ? environment.text("PWD") : directory;
}

void Access::begin_timeout(std::optional<Duration> timeout, Time begin) {
  deadline.reset();
  if (timeout) deadline = deadline_after(*timeout, begin);
}

std::string Access::user_name() const {
  for (const char* variable : {"USER", "LOGNAME"}) {
    const std::string name = environment.text(variable);
    if (!name.empty()) return name;
  }
  return login();
}

std::vector<PastRun> runs_here(Access& access, const std::string& name) {
  if (!access.history) return {};
  auto runs = access.history->list({access.ns(), name, 0});
  if (!runs) return {};
  std::erase_if(*runs, [cluster = access.cluster_name()](const PastRun& run) {
    return run.cluster != cluster;
  });
  return *std::move(runs);
}

}  // namespace trainctl::work
