// A dump of the flight recorder is a pickle from a container: whatever it holds, reading it ends,
// and what is read compares.
#include <cstdint>
#include <string_view>

#include "doctor/flight_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view dump(reinterpret_cast<const char*>(data), size);
  trainctl::job::FlightRecords records({0, 1});
  if (records.add(1, dump) && records.add(0, dump.substr(0, size / 2))) {
    (void)records.add(0, dump);
  }
  records.verdict();
  return 0;
}
