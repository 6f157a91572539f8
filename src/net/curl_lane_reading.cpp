// Works around libcurl 7.88 to read the streams of a connection cheaply and to their end.
#include <algorithm>
#include <utility>

#include "net/curl_lane.h"

namespace trainctl::net {

namespace {

constexpr auto k_end_comes = std::chrono::milliseconds(100);

// Later versions read differently, and none of this was tested with them.
bool is_curl_7() {
  static const bool k_is = curl_version_info(CURLVERSION_NOW)->version_num < 0x080000;
  return k_is;
}

bool make_it_run(CURL* easy) {
  return curl_easy_pause(easy, CURLPAUSE_SEND) == CURLE_OK &&
         curl_easy_pause(easy, CURLPAUSE_CONT) == CURLE_OK;
}

}  // namespace

// When a socket is readable, libcurl 7.88 looks at all its streams in turn, which with a hundred of
// them costs many times the work on a line. Whichever stream reads first takes all data and wakes
// the streams it is for, so one stream is made to read, like one that continues after a pause. (Its
// sending side is paused; it has nothing to send.) Returns false when all streams must be looked
// at, which also happens now and then to find what this may have missed.
bool CurlLane::ask_one_to_read() {
  CURL* const reader = choose_reader();
  return reader != nullptr && make_it_run(reader);
}

CURL* CurlLane::choose_reader() {
  constexpr std::size_t k_many = 8;
  constexpr int k_between_looks = 64;
  if (!is_curl_7() || !one_connection_ || transfers_.size() < k_many) return nullptr;
  if (++reads_ % k_between_looks == 0) return nullptr;
  if (reader_ != nullptr) return reader_;
  const auto found = std::find_if(transfers_.begin(), transfers_.end(),
                                  [](const auto& entry) { return entry.second->is_answered(); });
  return reader_ = found == transfers_.end() ? nullptr : found->first;
}

void CurlLane::note_piece(const Transfer& transfer, bool may_leave_something) {
  if (!is_curl_7() || learned_.protocol != Protocol::http2) return;
  if (may_leave_something || reading_to_the_end_) left_something_.push_back(transfer.easy());
  const bool ends = one_connection_ && !transfer.request().endless;
  if (may_leave_something && ends) may_hide_its_end_.push_back(transfer.easy());
}

// When frames that arrive together exceed a stream's buffer, libcurl 7.88 keeps the rest until the
// connection receives something else, which may be never (seen with a log of 4 KB in buffers of 1
// KB). So each stream that may have unread bytes is run again until nothing comes any more.
void CurlLane::read_to_the_end() {
  constexpr int k_most_rounds = 16;  // other work of the loop has its turn, too
  reading_to_the_end_ = true;
  for (int round = 0; round < k_most_rounds && !left_something_.empty(); ++round) {
    for (CURL* easy : std::exchange(left_something_, {})) make_it_run(easy);
    int running = 0;
    curl_multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &running);
  }
  reading_to_the_end_ = false;
  if (!left_something_.empty()) {
    read_on_ = loop_.after({}, [this] { act(CURL_SOCKET_TIMEOUT, 0); });
  } else if (!may_hide_its_end_.empty() && hidden_end_ == nullptr) {
    hidden_end_ = loop_.after(k_end_comes, [this] { look_for_hidden_ends(); });
  }
}

// When a frame's last bytes did not fit into the buffer, libcurl 7.88 notices the stream's end
// behind them only when the server sends something more. So the server is made to send something.
void CurlLane::look_for_hidden_ends() {
  hidden_end_.reset();
  if (!std::exchange(may_hide_its_end_, {}).empty()) ask_for_sign_of_life();
}

}  // namespace trainctl::net
