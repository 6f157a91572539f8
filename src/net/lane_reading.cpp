// Makes streams run by pausing and continuing them.
#include "net/lane_reading.h"

#include <algorithm>
#include <utility>

namespace trainctl::net {

namespace {

constexpr auto k_end_comes = std::chrono::milliseconds(100);

// Later versions read differently, and none of this was tested with them.
bool is_curl_7() {
  static const bool k_is = curl_version_info(CURLVERSION_NOW)->version_num < 0x080000;
  return k_is;
}

// Runs the stream like one that continues after a pause. (Its sending side is paused; it has
// nothing to send.)
bool make_it_run(CURL* easy) {
  return curl_easy_pause(easy, CURLPAUSE_SEND) == CURLE_OK &&
         curl_easy_pause(easy, CURLPAUSE_CONT) == CURLE_OK;
}

}  // namespace

LaneReading::LaneReading(Loop& loop, LaneReadingHandlers handlers)
    : loop_(loop), handlers_(std::move(handlers)) {}

bool LaneReading::ask_one_to_read(const Transfers& transfers) {
  CURL* const reader = choose_reader(transfers);
  return reader != nullptr && make_it_run(reader);
}

CURL* LaneReading::choose_reader(const Transfers& transfers) {
  constexpr std::size_t k_many = 8;
  constexpr int k_between_looks = 64;
  if (!is_curl_7() || transfers.size() < k_many) return nullptr;
  if (++reads_ % k_between_looks == 0) return nullptr;
  if (reader_ != nullptr) return reader_;
  const auto found = std::ranges::find_if(
      transfers, [](const auto& entry) { return entry.second->is_answered(); });
  return reader_ = found == transfers.end() ? nullptr : found->first;
}

void LaneReading::note_piece(CURL* easy, bool may_leave_something, bool ends) {
  if (!is_curl_7()) return;
  if (may_leave_something || reading_to_the_end_) left_something_.push_back(easy);
  if (may_leave_something && ends) may_hide_its_end_.push_back(easy);
}

// When frames that arrive together exceed a stream's buffer, libcurl 7.88 keeps the rest until the
// connection receives something else, which may be never (seen with a log of 4 KB in buffers of 1
// KB).
void LaneReading::read_to_the_end(CURLM* multi) {
  constexpr int k_most_rounds = 16;  // other work of the loop has its turn, too
  reading_to_the_end_ = true;
  for (int round = 0; round < k_most_rounds && !left_something_.empty(); ++round) {
    for (CURL* easy : std::exchange(left_something_, {})) make_it_run(easy);
    int running = 0;
    curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
  }
  reading_to_the_end_ = false;
  if (!left_something_.empty()) {
    read_on_ = loop_.after({}, [this] { handlers_.on_read_on(); });
  } else if (!may_hide_its_end_.empty() && hidden_end_ == nullptr) {
    hidden_end_ = loop_.after(k_end_comes, [this] { look_for_hidden_ends(); });
  }
}

// When a frame's last bytes did not fit into the buffer, libcurl 7.88 notices the stream's end
// behind them only when the server sends something more. So the server is made to send something.
void LaneReading::look_for_hidden_ends() {
  hidden_end_.reset();
  if (!std::exchange(may_hide_its_end_, {}).empty()) handlers_.on_hidden_end();
}

void LaneReading::forget(CURL* easy) {
  if (reader_ == easy) reader_ = nullptr;
  std::erase(left_something_, easy);
  std::erase(may_hide_its_end_, easy);
}

}  // namespace trainctl::net
