// Keeps changes in order: the history for resumed watches, and the calls of subscribers.
#include "local/store/changes.h"

#include <algorithm>
#include <utility>

#include <malloc.h>

namespace trainctl::local {

namespace {

constexpr std::size_t k_kept_changes = 1000;
// The interval at which the API server compacts etcd. An idle daemon frees the memory earlier.
constexpr auto k_kept_for = std::chrono::minutes(5);

class Subscription : public Handle {
 public:
  explicit Subscription(std::shared_ptr<ChangeFeed::Subscriber> subscriber)
      : subscriber_(std::move(subscriber)) {}
  ~Subscription() override { subscriber_->cancelled = true; }

 private:
  std::shared_ptr<ChangeFeed::Subscriber> subscriber_;
};

}  // namespace

void ChangeFeed::push(Change change) {
  latest_ = change.version;
  if (!subscribers_.empty()) {
    pending_.push_back(change);
    if (!turn_) turn_ = loop_.after(Duration::zero(), [this] { deliver(); });
  }
  history_.push_back({std::move(change), loop_.now()});
  if (history_.size() > k_kept_changes) forget_first();
  if (!forgetting_) forget_later();
}

void ChangeFeed::forget_first() {
  forgotten_ = history_.front().change.version;
  history_.pop_front();
}

void ChangeFeed::forget_later() {
  const Duration left = history_.front().since + k_kept_for - loop_.now();
  forgetting_ = loop_.after(left, [this] {
    forgetting_ = nullptr;
    while (!history_.empty() && history_.front().since + k_kept_for <= loop_.now()) forget_first();
    if (!history_.empty()) return forget_later();
    malloc_trim(0);
  });
}

bool ChangeFeed::forget_all() {
  if (history_.empty()) return false;
  begin_at(latest_);
  history_ = {};
  forgetting_ = nullptr;
  return true;
}

bool ChangeFeed::since(std::int64_t version, std::vector<Change>& changes) const {
  if (version < forgotten_) return false;
  const auto first = std::ranges::upper_bound(history_, version, {},
                                              [](const Kept& one) { return one.change.version; });
  changes.clear();
  for (auto one = first; one != history_.end(); ++one) changes.push_back(one->change);
  return true;
}

HandlePtr ChangeFeed::subscribe(std::function<void(const Change&)> callback) {
  auto subscriber = std::make_shared<Subscriber>(Subscriber{std::move(callback), latest_});
  subscribers_.push_back(subscriber);
  return std::make_unique<Subscription>(std::move(subscriber));
}

void ChangeFeed::deliver() {
  // Callbacks may change the store, subscribe and unsubscribe, so this state must be consistent
  // before they run.
  turn_ = nullptr;
  const std::vector<Change> changes = std::exchange(pending_, {});
  const std::vector<std::shared_ptr<Subscriber>> listeners = subscribers_;
  for (const Change& change : changes) {
    for (const std::shared_ptr<Subscriber>& listener : listeners) {
      if (!listener->cancelled && listener->after < change.version) listener->callback(change);
    }
  }
  std::erase_if(subscribers_, [](const auto& subscriber) { return subscriber->cancelled; });
}

}  // namespace trainctl::local
