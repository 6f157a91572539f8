// The first list of a watch, which ends with it.
#include "kube/client/current_list.h"

#include <string>
#include <utility>

namespace trainctl::kube {
namespace {

class CurrentList : public Handle {
 public:
  CurrentList(Client& client, WatchTarget target, std::function<void(std::vector<Json>)> done)
      : done_(std::move(done)) {
    WatchHandlers handlers;
    handlers.on_change = [this](const Json& object) { objects_.push_back(object); };
    handlers.on_gone = [](const Json&) {};
    handlers.on_listed = [this] { finish(); };
    handlers.on_trouble = [](const std::string&) {};
    handlers.on_stop = [this](const Error&) { finish(); };
    watch_ = start_watch(client, std::move(target), std::move(handlers));
  }

 private:
  // `done` may destroy this.
  void finish() {
    watch_.reset();
    const auto done = std::move(done_);
    done(std::move(objects_));
  }

  std::function<void(std::vector<Json>)> done_;
  std::vector<Json> objects_;
  HandlePtr watch_;
};

}  // namespace

HandlePtr start_current_list(Client& client, WatchTarget target,
                             std::function<void(std::vector<Json> objects)> done) {
  return std::make_unique<CurrentList>(client, std::move(target), std::move(done));
}

}  // namespace trainctl::kube
