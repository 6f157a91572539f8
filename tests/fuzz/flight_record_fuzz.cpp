// A dump of the flight recorder is a pickle from a container: whatever it holds, reading it ends,
// and what is read compares.
#include <cstdint>
#include <string_view>
#include <utility>

#include "job/stacks/flight_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view dump(reinterpret_cast<const char*>(data), size);
  auto record = trainctl::job::read_flight_record(1, dump);
  if (!record) return 0;
  trainctl::job::FlightRecord other = *record;
  other.rank = 0;
  if (!other.groups.empty()) other.groups.begin()->second.calls.clear();
  trainctl::job::compare_records({*std::move(record), std::move(other)});
  return 0;
}
