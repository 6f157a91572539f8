// Names each object by its title, so that a user can delete by hand what trainctl could not.
#include "work/create/transaction.h"

#include <utility>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "work/create/removal.h"

namespace trainctl::work {
namespace {

// "configmap/a, configmap/b are left behind"
std::string told(const std::vector<std::string>& titles, std::string_view one,
                 std::string_view several) {
  return cat(join(titles, ", "), ' ', titles.size() == 1 ? one : several);
}

}  // namespace

Transaction::Titles Transaction::undo_all() {
  access_.loop.ending_signals().forget();
  const LimitedCalls limited(access_, deadline_after(k_rollback_time, access_.loop.now()));
  Titles titles;
  for (const Object& object : std::exchange(beside_, {})) {
    (object.undo() ? titles.deleted : titles.left).push_back(object.title);
  }
  return titles;
}

std::string Transaction::deletion_of(const std::vector<std::string>& titles) const {
  return cat("kubectl delete -n ", ns_, " ", join(titles, " "));
}

Error Transaction::roll_back(Error why) {
  if (const auto job = std::exchange(job_, std::nullopt)) {
    access_.loop.ending_signals().forget();
    const LimitedCalls limited(access_, deadline_after(k_rollback_time, access_.loop.now()));
    if (!job->undo()) {
      why.message += cat("; ", job->title, " is left behind");
      why.hint = deletion_of({job->title});
      return leave(std::move(why));
    }
    why.message += cat("; ", job->title, " was deleted again");
  }
  const auto [deleted, left] = undo_all();
  if (!deleted.empty()) {
    why.message += cat("; ", told(deleted, "was deleted again", "were deleted again"));
  }
  if (!left.empty()) {
    why.message += cat("; ", told(left, "is left behind", "are left behind"));
    why.hint = deletion_of(left);
  }
  return why;
}

void Transaction::roll_back() {
  const auto left = undo_all().left;
  if (left.empty()) return;
  access_.console.warn(
      cat(told(left, "is left behind", "are left behind"), ": ", deletion_of(left)));
}

Error Transaction::leave(Error why) const {
  std::vector<std::string> titles;
  for (const Object& object : beside_) titles.push_back(object.title);
  if (!titles.empty()) why.message += cat("; ", told(titles, "stays", "stay"));
  return why;
}

}  // namespace trainctl::work
