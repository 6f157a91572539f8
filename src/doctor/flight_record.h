// Reads the dumps of PyTorch's flight recorder, and finds the rank whose collectives differ.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "doctor/pickle.h"

namespace trainctl::job {

struct RecordedCall {
  std::int64_t sequence = 0;
  std::string name;             // "all_reduce"
  std::string state;            // "scheduled", "started" or "completed"
  std::int64_t created_ns = 0;  // since 1970
};

struct RecordVerdict {
  std::string sentence;  // "rank 3 never joined all_reduce #4711 of process group 0 (default_pg)"
  std::int64_t created_ns = 0;  // when that collective began in another rank
  bool is_difference = false;
};
// The dumps of one job, as PyTorch 2.4 and later write them: pickles of data. They share one bound
// of memory, however many there are. Texts are printable and bounded; calls between two ranks are
// left out.
class FlightRecords {
 public:
  // Of the job; what a dump says of other ranks is dropped.
  explicit FlightRecords(std::set<int> ranks) : ranks_(std::move(ranks)) {}

  Status add(int rank, std::string_view dump);
  std::size_t size() const { return read_.size(); }
  // The earliest difference between the ranks, else where all are. Empty without any call.
  RecordVerdict verdict() const;

  // The calls of the ranks in one process group.
  struct Group {
    std::string description;   // "default_pg"; may be empty
    std::string members_text;  // "[0, 1]", as most dumps write it alike
    std::set<int> members;
    std::map<int, std::vector<RecordedCall>> calls;  // of a rank, by sequence, each number once
  };
  const std::map<std::string, Group>& groups() const { return groups_; }  // by name: "0"

 private:
  using Calls = std::map<std::string, std::vector<RecordedCall>>;  // by group
  Group* group_of(const std::string& name);
  void take_groups(const Pickle& pickle);
  void take_members(Group& group, std::string_view text);
  void take_call(const Pickle& pickle, const PickleValue& entry, Calls& calls);

  std::set<int> ranks_, read_;
  std::size_t members_room_ = std::size_t{4} << 20;  // bytes of text
  std::map<std::string, Group> groups_;
};

}  // namespace trainctl::job
