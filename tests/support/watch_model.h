// A model of what an API server lists and watches, which a script changes, cuts and troubles.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/loop/loop.h"
#include "base/value/json.h"
#include "net/http.h"

namespace trainctl::testing {

// Holds the pods of the namespace `team`. Answers come in pieces of random size, after random
// times; lists in pages of two.
class WatchModel {
 public:
  WatchModel(Loop& loop, unsigned seed);
  ~WatchModel();
  WatchModel(const WatchModel&) = delete;
  WatchModel& operator=(const WatchModel&) = delete;

  // Ownership may be passed on; the model must live longer.
  std::unique_ptr<net::Transport> transport();

  // --- The cluster's life ---
  void change(int pod);   // creates the pod, or gives it a new version
  void remove(int pod);   // a later pod of that name gets another uid
  void forget_history();  // earlier changes can no longer be watched: 410
  void bookmark();
  void repeat_last_event();

  // --- Trouble for all answers under way ---
  void cut();  // at any byte, perhaps in the middle of an event
  void end();  // the same, but as a clean end
  void error_event(int code);

  // --- Trouble for those to come ---
  void refuse_until(Time end) { refused_until_ = end; }
  void refuse_next(int code) { next_status_ = code; }

  // The versions of existing pods, by uid.
  std::map<std::string, std::string> state() const;
  // All changes so far, as (version, is the pod gone?).
  std::vector<std::pair<long, bool>> history() const;
  long version() const { return version_; }
  int requests() const { return requests_; }

 private:
  class Answer;
  class ModelTransport;
  struct Event {
    long version = 0;
    std::string type;
    Json object;
  };

  void happen(std::string type, Json object);
  void send_event(const Event& event);
  void list(Answer& answer, const std::string& token);
  void watch(Answer& answer, long from);
  void begin(const std::shared_ptr<Answer>& answer, const net::Request& request);
  template <typename Action>
  void to_all(Action action);
  int random(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  Loop& loop_;
  std::minstd_rand random_;
  std::map<std::string, Json> pods_;  // by name
  std::vector<Event> events_;
  std::map<long, std::vector<Json>> lists_;  // lists by version, for their later pages
  long version_ = 10;
  long forgotten_ = 0;  // watches from earlier versions get a 410
  int uids_ = 0;
  int requests_ = 0;
  Time refused_until_{};
  int next_status_ = 0;
  std::vector<std::weak_ptr<Answer>> answers_;
};

}  // namespace trainctl::testing
