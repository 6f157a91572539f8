// Reads the dumps of PyTorch's flight recorder, and finds the rank whose collectives differ.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace trainctl::job {

struct RecordedCall {
  std::int64_t sequence = 0;
  std::string name;             // "all_reduce"
  std::string state;            // "scheduled", "started" or "completed"
  std::int64_t created_ns = 0;  // since 1970
};

// What one rank did in one process group.
struct RecordedGroup {
  std::string description;          // "default_pg"; may be empty
  std::set<int> ranks;              // its members; empty = unknown
  std::vector<RecordedCall> calls;  // by sequence, each number once
};

// Texts are printable and bounded; calls between two ranks are left out.
struct FlightRecord {
  int rank = 0;
  std::map<std::string, RecordedGroup> groups;  // by name: "0"
};

// Reads a dump as PyTorch 2.4 and later write it: a pickle of data.
Result<FlightRecord> read_flight_record(int rank, std::string_view dump);

struct RecordVerdict {
  std::string sentence;  // "rank 3 never joined all_reduce #4711 of process group 0 (default_pg)"
  std::int64_t created_ns = 0;  // when that collective began in another rank
  bool is_difference = false;
};
// The earliest difference between the ranks, else where all are. Empty without any call.
RecordVerdict compare_records(const std::vector<FlightRecord>& records);

}  // namespace trainctl::job
