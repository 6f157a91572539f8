// The latest changes of the store, kept for watches and passed to subscribers on later turns of the
// loop.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/loop/loop.h"
#include "local/store/store.h"

namespace trainctl::local {

class ChangeFeed {
 public:
  explicit ChangeFeed(Loop& loop) : loop_(loop) {}

  // Changes up to this version are not known.
  void begin_at(std::int64_t version) { forgotten_ = latest_ = version; }
  void push(Change change);
  bool since(std::int64_t version, std::vector<Change>& changes) const;
  // Forgets all changes; false when none was known.
  bool forget_all();
  [[nodiscard]] HandlePtr subscribe(std::function<void(const Change&)> callback);

  struct Subscriber {
    std::function<void(const Change&)> callback;
    std::int64_t after = 0;  // receives changes after this version
    bool cancelled = false;
  };

 private:
  void deliver();

  Loop& loop_;
  struct Kept {
    Change change;
    Time since;
  };
  void forget_first();
  void forget_later();

  std::deque<Kept> history_;
  std::int64_t forgotten_ = 0;  // changes up to this version have left the history
  std::int64_t latest_ = 0;
  std::vector<Change> pending_;
  std::vector<std::shared_ptr<Subscriber>> subscribers_;
  HandlePtr turn_;
  HandlePtr forgetting_;
};

}  // namespace trainctl::local
