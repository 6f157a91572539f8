// Sends the log request and emits its answer line by line.
#include "kube/stream/log_stream.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include "base/text/text.h"
#include "kube/client/client.h"
#include "net/url.h"

namespace trainctl::kube {
namespace {

constexpr std::size_t k_kept_capacity = std::size_t{64} << 10;
constexpr std::size_t k_second_length = 19;  // "2026-11-21T09:31:58"
constexpr std::size_t k_usual_length = 30;   // "2026-11-21T09:31:58.920034043Z"

int value_of(char c) {
  return c - '0';
}

// Two digits at `at`, or -1.
int two_digits(std::string_view text, std::size_t at) {
  if (!is_digit(text[at]) || !is_digit(text[at + 1])) return -1;
  return value_of(text[at]) * 10 + value_of(text[at + 1]);
}

std::optional<Time> parse_second(std::string_view text) {
  constexpr std::string_view k_second_shape = "dddd-dd-ddTdd:dd:dd";
  for (std::size_t at = 0; at < k_second_length; ++at) {
    if (k_second_shape[at] == 'd' ? !is_digit(text[at]) : text[at] != k_second_shape[at])
      return std::nullopt;
  }
  using namespace std::chrono;
  const int years = two_digits(text, 0) * 100 + two_digits(text, 2);
  const auto months = static_cast<unsigned>(two_digits(text, 5));
  const auto days = static_cast<unsigned>(two_digits(text, 8));
  const year_month_day date{year(years), month(months), day(days)};
  const int hour = two_digits(text, 11);
  const int minute = two_digits(text, 14);
  const int second = two_digits(text, 17);
  // Outside these years, nanoseconds since 1970 overflow 64 bits.
  const bool fits = years >= 1700 && years <= 2200;
  if (!date.ok() || !fits || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return Time(sys_days(date).time_since_epoch()) + hours(hour) + minutes(minute) + seconds(second);
}

// Reads ".123" at `at` as nanoseconds and moves `at` behind it; digits past the ninth are dropped.
Duration take_fraction(std::string_view line, std::size_t& at) {
  if (at + 1 >= line.size() || line[at] != '.' || !is_digit(line[at + 1])) return {};
  constexpr std::size_t k_nanosecond_digits = 9;
  const std::size_t begin = ++at;
  long nanoseconds = 0;
  while (at < line.size() && at - begin < k_nanosecond_digits && is_digit(line[at])) {
    nanoseconds = nanoseconds * 10 + value_of(line[at++]);
  }
  for (std::size_t digits = at - begin; digits < k_nanosecond_digits; ++digits) nanoseconds *= 10;
  while (at < line.size() && is_digit(line[at])) ++at;
  return Duration(nanoseconds);
}

// Parses eight digits without a loop, or returns -1: the digits are the bytes of a word; neighbours
// are added to pairs, then all pairs at once.
long eight_digits(const char* at) {
  constexpr std::uint64_t k_each = 0x0101010101010101U;
  constexpr std::uint64_t k_pairs = 0x000000FF000000FFU;  // mask of every other pair
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, at, sizeof word);
  } else {
    for (int place = 7; place >= 0; --place)
      word = word << 8U | static_cast<unsigned char>(at[place]);
  }
  word ^= k_each * '0';
  // A byte above 9 has its highest bit set, or gets it set by this addition.
  if (((word | (word + k_each * (0x80 - 10))) & (k_each * 0x80)) != 0) return -1;
  word = word * 10 + (word >> 8U);
  word = (word & k_pairs) * (100 + (1'000'000ULL << 32U)) +
         ((word >> 16U) & k_pairs) * (1 + (10'000ULL << 32U));
  return static_cast<long>(word >> 32U);
}

// Reads ".123456789Z " at `at`, the form that containerd and CRI-O always write, as nanoseconds; -1
// for any other.
long usual_fraction(const char* at) {
  if (at[0] != '.' || at[10] != 'Z' || at[11] != ' ' || !is_digit(at[9])) return -1;
  const long first = eight_digits(at + 1);
  return first < 0 ? -1 : first * 10 + value_of(at[9]);
}

// Reads "Z" or "+02:00" at `at`; nullopt when neither is there.
std::optional<Duration> take_zone(std::string_view line, std::size_t& at) {
  if (at < line.size() && line[at] == 'Z') {
    ++at;
    return Duration{};
  }
  if (at + 6 > line.size() || (line[at] != '+' && line[at] != '-') || line[at + 3] != ':') {
    return std::nullopt;
  }
  const int hour = two_digits(line, at + 1);
  const int minute = two_digits(line, at + 4);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return std::nullopt;
  const Duration offset = std::chrono::hours(hour) + std::chrono::minutes(minute);
  const bool west = line[at] == '-';
  at += 6;
  return west ? -offset : offset;
}

}  // namespace

// After one long line, each of a thousand streams must not keep a megabyte allocated.
void LogLines::forget_rest() {
  rest_.clear();
  if (rest_.capacity() > k_kept_capacity) rest_.shrink_to_fit();
}

bool StampReader::is_same_second(std::string_view line) const {
  return std::memcmp(line.data(), second_text_, k_second_length) == 0;
}

bool StampReader::read_second(std::string_view line) {
  if (is_same_second(line)) return true;
  const std::optional<Time> second = parse_second(line);
  if (!second) return false;
  std::memcpy(second_text_, line.data(), k_second_length);
  second_ = *second;
  return true;
}

// Fast path for nearly all lines: the stamp has the runtimes' usual form and the same second as the
// line before.
LogLine StampReader::read(std::string_view line) {
  if (line.size() <= k_usual_length || !is_same_second(line)) return read_any(line);
  const long nanoseconds = usual_fraction(line.data() + k_second_length);
  if (nanoseconds < 0) return read_any(line);
  return {second_ + Duration(nanoseconds), line.substr(0, k_usual_length),
          line.substr(k_usual_length + 1), true};
}

LogLine StampReader::read_any(std::string_view line) {
  const LogLine bare{std::nullopt, {}, line, true};
  std::size_t at = k_second_length;
  if (line.size() <= at || !read_second(line)) return bare;
  const Duration fraction = take_fraction(line, at);
  const std::optional<Duration> offset = take_zone(line, at);
  if (!offset || (at < line.size() && line[at] != ' ')) return bare;
  return {second_ + fraction - *offset, line.substr(0, at),
          line.substr(std::min(at + 1, line.size())), true};
}

std::size_t glued_stamp(std::string_view line) {
  StampReader reader;
  for (std::size_t at = line.find('T'); at != std::string_view::npos; at = line.find('T', at + 1)) {
    constexpr std::size_t k_date_length = 10;
    if (at <= k_date_length) continue;
    const std::size_t start = at - k_date_length;
    const char before = static_cast<char>(line[start - 1] | 0x20);
    const bool behind_a_letter = before >= 'a' && before <= 'z';
    if (behind_a_letter && reader.read(line.substr(start)).stamp) return start;
  }
  return std::string_view::npos;
}

namespace {

Result<net::Request> log_request(const LogQuery& query) {
  TRY_ASSIGN(std::string path, resource_path(k_pods, query.ns, query.pod, "log"));
  net::Query parameters = {{"timestamps", "true"}};
  if (!query.container.empty()) parameters.emplace_back("container", query.container);
  if (query.follow) parameters.emplace_back("follow", "true");
  if (query.previous) parameters.emplace_back("previous", "true");
  if (query.since) parameters.emplace_back("sinceTime", format_time(*query.since));
  if (query.since_seconds) {
    parameters.emplace_back("sinceSeconds", std::to_string(*query.since_seconds));
  }
  if (query.tail_lines) parameters.emplace_back("tailLines", std::to_string(*query.tail_lines));
  if (query.limit_bytes) parameters.emplace_back("limitBytes", std::to_string(*query.limit_bytes));
  if (!query.pod_uid.empty()) parameters.emplace_back("podUID", query.pod_uid);
  if (!query.container_id.empty()) parameters.emplace_back("containerID", query.container_id);
  if (query.insecure_backend) parameters.emplace_back("insecureSkipTLSVerifyBackend", "true");
  net::Request request;
  request.target = net::with_query(std::move(path), parameters);
  request.lane = net::Lane::stream;
  request.endless = query.follow;
  return request;
}

class LogStream : public std::enable_shared_from_this<LogStream> {
 public:
  explicit LogStream(LineSink& sink) : sink_(sink) {}

  void start(Client& client, const LogQuery& query);
  void abandon() {
    over_ = true;
    request_.reset();
    later_.reset();
  }
  // Takes a line, or a piece of one, from lines_.
  bool operator()(std::string_view text, bool complete);

 private:
  void on_open(int status);
  void on_data(std::string_view chunk);
  void report_progress(std::string_view chunk);
  void on_end(const std::optional<Failure>& failure);
  bool on_odd_text(std::string_view text, bool complete);

  LineSink& sink_;
  LogLines lines_;
  StampReader stamps_;
  bool over_ = false;
  bool first_ = true;         // no line was emitted yet
  bool goes_on_ = false;      // the next text continues a line
  std::size_t reported_ = 0;  // bytes of the current line whose states were reported
  HandlePtr request_, later_;
};

void LogStream::start(Client& client, const LogQuery& query) {
  const std::weak_ptr<LogStream> weak = weak_from_this();
  Result<net::Request> request = log_request(query);
  if (!request) {
    later_ = client.loop().after({}, [weak, error = request.error()] {
      if (const auto self = weak.lock()) self->on_end(Failure{error, {}});
    });
    return;
  }
  StreamHandlers handlers;
  handlers.on_open = [weak](int status) {
    if (const auto self = weak.lock()) self->on_open(status);
  };
  handlers.on_data = [weak](std::string_view chunk) {
    if (const auto self = weak.lock()) self->on_data(chunk);
  };
  handlers.on_end = [weak](const std::optional<Failure>& failure) {
    if (const auto self = weak.lock()) self->on_end(failure);
  };
  request_ = client.stream(*std::move(request), std::move(handlers));
}

void LogStream::on_open(int status) {
  const bool has_log = status != 204;  // 204: the pod is not scheduled yet
  if (!over_ && has_log) sink_.on_open();
}

void LogStream::on_data(std::string_view chunk) {
  if (over_) return;
  lines_.feed(chunk, *this);
  if (!over_ && !lines_.rest().empty()) report_progress(chunk);
}

// Searches only the new chunk where it can, since a line may be long and come in many chunks. A
// state is complete at its carriage return: a runtime cuts long lines anywhere.
void LogStream::report_progress(std::string_view chunk) {
  if (chunk.find('\r', chunk.rfind('\n') + 1) == std::string_view::npos) return;
  const std::size_t end = lines_.rest().rfind('\r');
  if (end == std::string_view::npos || end < reported_) return;
  std::string_view states = lines_.rest().substr(reported_, end - reported_);
  if (reported_ == 0 && !goes_on_) states = StampReader().read(states).text;
  reported_ = end + 1;
  if (!trim(states).empty()) sink_.on_progress(states);
}

bool LogStream::operator()(std::string_view text, bool complete) {
  reported_ = 0;
  if (first_ || goes_on_ || !complete) return on_odd_text(text, complete);
  sink_.on_line(stamps_.read(text));
  return !over_;
}

// Handles the first line, and pieces of long lines.
bool LogStream::on_odd_text(std::string_view text, bool complete) {
  const bool first = std::exchange(first_, false);
  const bool continues = std::exchange(goes_on_, !complete);
  LogLine line = continues ? LogLine{std::nullopt, {}, text, complete} : stamps_.read(text);
  if (first && !line.stamp) {
    const std::size_t glued = glued_stamp(text);
    if (glued != std::string_view::npos) {
      sink_.on_line({std::nullopt, {}, text.substr(0, glued), true});
      if (over_) return false;
      line = stamps_.read(text.substr(glued));
    }
  }
  line.complete = complete;
  sink_.on_line(line);
  return !over_;
}

void LogStream::on_end(const std::optional<Failure>& failure) {
  if (over_) return;
  lines_.finish(*this);
  if (!std::exchange(over_, true)) sink_.on_end(failure);
}

}  // namespace

HandlePtr open_log(Client& client, const LogQuery& query, LineSink& sink) {
  auto stream = std::make_shared<LogStream>(sink);
  stream->start(client, query);
  return std::make_unique<AbandonHandle<LogStream>>(std::move(stream));
}

}  // namespace trainctl::kube
