// Converts values between the two worlds; Slurm's sizes are powers of 1024.
#include "slurm/values.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/time.h"

namespace trainctl::slurm {

std::string gpu_count(const std::string& value) {
  if (value == "gpu") return "1";
  const std::string count = split(value, ':').back();
  return parse_number<int>(count) ? count : "";
}

std::string binary_size(const std::string& value) {
  const std::size_t end = std::min(value.find_first_not_of("0123456789"), value.size());
  const std::string unit = lower(value.substr(end));
  if (end == 0) return "";
  if (unit.empty()) return value + "Mi";
  constexpr std::string_view k_units = "kmgt";
  const std::size_t at = k_units.find(unit.front());
  const std::string tail = unit.substr(1);
  if (at == std::string_view::npos ||
      !(tail.empty() || tail == "b" || tail == "i" || tail == "ib")) {
    return "";
  }
  return cat(value.substr(0, end), "KMGT"[at], "i");
}

std::optional<long> mebibytes(const std::string& value) {
  const std::string size = binary_size(value);
  if (size.empty()) return std::nullopt;
  const auto number = parse_number<long>(size.substr(0, size.size() - 2));
  const char unit = size[size.size() - 2];
  constexpr long k_most = 1L << 40;
  if (!number || *number > k_most) return std::nullopt;
  if (unit == 'K') return (*number + 1023) / 1024;
  return *number * (unit == 'T' ? 1024L * 1024 : unit == 'G' ? 1024L : 1L);
}

std::string clock_time(const std::string& value) {
  if (parse_duration(value) && !parse_number<int>(value)) return value;
  const Halves halves = split_once(value, '-');
  const std::vector<std::string> parts = split(halves.found ? halves.second : halves.first, ':');
  long seconds = 0;
  // Hours come first behind days and in three parts, minutes otherwise.
  long unit = halves.found || parts.size() == 3 ? 3600 : 60;
  for (const std::string& part : parts) {
    const auto number = parse_number<int>(part);
    if (!number || *number < 0 || unit == 0) return "";
    seconds += *number * unit;
    unit /= 60;
  }
  if (halves.found) {
    const auto days = parse_number<int>(halves.first);
    if (!days || *days < 0) return "";
    seconds += *days * 24L * 3600;
  }
  std::string text;
  if (seconds >= 3600) text += cat(seconds / 3600, "h");
  if (seconds % 3600 >= 60) text += cat(seconds % 3600 / 60, "m");
  if (seconds % 60 > 0) text += cat(seconds % 60, "s");
  return text;
}

namespace {

// The names of one element, "n[01-03,7]" or "n1".
void add_hosts(const std::string& element, std::vector<std::string>& names) {
  const auto open = element.find('['), close = element.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    if (!element.empty()) names.push_back(element);
    return;
  }
  for (const std::string& range : split(element.substr(open + 1, close - open - 1), ',')) {
    const Halves ends = split_once(range, '-');
    const auto first = parse_number<long>(ends.first);
    const auto last = ends.found ? parse_number<long>(ends.second) : first;
    constexpr long k_most_hosts = 10'000;
    if (!first || !last || *last - *first > k_most_hosts) return;
    for (long number = *first; number <= *last; ++number) {
      const std::string digits = std::to_string(number);
      const std::size_t zeros = ends.first.size() - std::min(ends.first.size(), digits.size());
      add_hosts(
          cat(element.substr(0, open), std::string(zeros, '0'), digits, element.substr(close + 1)),
          names);
    }
  }
}

}  // namespace

std::vector<std::string> host_names(const std::string& list) {
  std::vector<std::string> names;
  std::string element;
  int depth = 0;
  for (const char c : list) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      add_hosts(element, names);
      element.clear();
    } else {
      element += c;
    }
  }
  add_hosts(element, names);
  return names;
}

}  // namespace trainctl::slurm
