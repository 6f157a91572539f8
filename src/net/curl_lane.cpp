// Connects libcurl's sockets and timers to the loop, and orders the start and end of requests.
#include "net/curl_lane.h"

#include <algorithm>
#include <utility>

#include "base/memory.h"
#include "net/http.h"

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
bool wake_stream(CURL* easy) {
  return curl_easy_pause(easy, CURLPAUSE_SEND) == CURLE_OK &&
         curl_easy_pause(easy, CURLPAUSE_CONT) == CURLE_OK;
}

}  // namespace

LaneReading::LaneReading(Loop& loop, LaneReadingHandlers handlers)
    : loop_(loop), handlers_(std::move(handlers)) {}

bool LaneReading::ask_one_to_read(const Transfers& transfers) {
  CURL* const reader = choose_reader(transfers);
  return reader != nullptr && wake_stream(reader);
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

void LaneReading::on_chunk(CURL* easy, bool may_leave_something, bool ends) {
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
    for (CURL* easy : std::exchange(left_something_, {})) wake_stream(easy);
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

LaneHeartbeat::LaneHeartbeat(Loop& loop, Times times, Actions actions)
    : loop_(loop), times_(times), actions_(std::move(actions)) {}

void LaneHeartbeat::begin() {
  heard();
  listen();
}

void LaneHeartbeat::end() {
  timer_.reset();
}

// Data arrives often on a busy connection, so the timer is not restarted each time.
void LaneHeartbeat::heard() {
  heard_at_ = loop_.now();
  unanswered_ = false;
}

void LaneHeartbeat::listen() {
  const Time now = loop_.now();
  heard_at_ = std::min(heard_at_, now);  // the clock may have been set back
  timer_ = loop_.after(heard_at_ + times_.silence - now, [this] { ask_if_silent(); });
}

void LaneHeartbeat::ask_if_silent() {
  if (loop_.now() - heard_at_ < times_.silence) return listen();
  unanswered_ = true;
  actions_.ask();
  // After a program was stopped for a while, the timer expires with the answer still unread, so the
  // sockets are read once more before the connection is judged.
  static constexpr Duration k_turn = std::chrono::milliseconds(5);
  timer_ =
      loop_.after(times_.patience, [this] { timer_ = loop_.after(k_turn, [this] { judge(); }); });
}

void LaneHeartbeat::judge() {
  const bool was_sent = actions_.end_question();
  if (!unanswered_) return listen();
  if (!was_sent) return begin();
  actions_.give_up();
}

namespace {

// When its connection ends, libcurl 7.88 restarts a request that had no answer yet. It then may
// wait for ever for a place on the next connection, so such an end is reported to all requests.
bool is_of_connection(CURLcode code) {
  return code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING ||
         code == CURLE_PARTIAL_FILE || code == CURLE_HTTP2;
}

// A request that libcurl did not take would be waited for without end.
void add_to(CURLM* multi, CURL* easy) {
  need_memory(curl_multi_add_handle(multi, easy) != CURLM_OUT_OF_MEMORY);
}

}  // namespace

CurlLane::CurlLane(UvLoop& loop, const CurlSettings& settings, Learned& learned, Sharing sharing)
    : loop_(loop),
      settings_(settings),
      learned_(learned),
      one_connection_(sharing == Sharing::one),
      shares_(sharing != Sharing::none),
      reading_(loop, {.on_read_on = [this] { act(CURL_SOCKET_TIMEOUT, 0); },
                      .on_hidden_end = [this] { ask_for_sign_of_life(); }}),
      heartbeat_(loop, {settings.endpoint.heartbeat_after, settings.endpoint.heartbeat_patience},
                 {[this] { ask_for_sign_of_life(); }, [this] { return end_question(); },
                  [this] { give_up(); }}) {
  open();
}

CurlLane::~CurlLane() {
  end_question();
  for (const auto& [easy, transfer] : transfers_) {
    curl_multi_remove_handle(multi_.get(), easy);
    transfer->lane = nullptr;
    transfer->release();
  }
  multi_.reset();  // closing connections calls on_socket, which needs the other members
}

void CurlLane::add(std::shared_ptr<Transfer> transfer) {
  CURL* easy = transfer->easy();
  transfer->lane = this;
  transfer->checks_unsent = 0;
  const bool first = transfers_.empty();
  if (first && shares_) heartbeat_.begin();
  const auto& added = transfers_.emplace(easy, std::move(transfer)).first->second;
  if (one_connection_ && !limit_known_) {
    if (!first) return held_.push_back(easy);
    added->on_contact = [this, easy](bool connected) { await_limit(connected, easy); };
  }
  start(easy);
}

void CurlLane::start(CURL* easy) {
  if (inside_curl_) {
    to_add_.push_back(easy);
  } else {
    add_to(multi_.get(), easy);
  }
}

// The server's SETTINGS directly follow its handshake (RFC 9113, 3.4), so they have arrived after
// one more round trip, which takes no longer than the handshake did.
void CurlLane::await_limit(bool connected, CURL* first) {
  curl_off_t tcp = 0, tls = 0;
  if (connected) {
    curl_easy_getinfo(first, CURLINFO_CONNECT_TIME_T, &tcp);
    curl_easy_getinfo(first, CURLINFO_APPCONNECT_TIME_T, &tls);
  }
  if (connected && held_.size() < learned_.streams_seen) return start_held();
  settling_ = loop_.after(std::chrono::microseconds(tls - tcp), [this] { start_held(); });
}

void CurlLane::start_held() {
  settling_.reset();
  limit_known_ = true;
  for (CURL* easy : std::exchange(held_, {})) start(easy);
}

void CurlLane::drop(const Transfer& transfer) {
  if (inside_curl_) {
    to_remove_.push_back(transfer.easy());
  } else {
    end(transfer.easy());
  }
}

std::vector<std::shared_ptr<Transfer>> CurlLane::take_stuck() {
  if (!held_.empty()) return {};
  const auto is_sent = [](const auto& entry) { return entry.second->is_sent(); };
  const bool any_sent = std::ranges::any_of(transfers_, is_sent);
  std::vector<CURL*> stuck;
  for (const auto& [easy, transfer] : transfers_) {
    const bool waits = any_sent && !transfer->is_sent();
    transfer->checks_unsent = waits ? transfer->checks_unsent + 1 : 0;
    if (transfer->checks_unsent >= 2) stuck.push_back(easy);
  }
  std::vector<std::shared_ptr<Transfer>> taken;
  for (CURL* easy : stuck) taken.push_back(remove(easy));
  return taken;
}

void CurlLane::open() {
  multi_.reset(curl_multi_init());
  need_memory(multi_ != nullptr);
  limit_known_ = false;
  CURLM* multi = multi_.get();
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(
      multi, CURLMOPT_SOCKETFUNCTION, +[](CURL*, curl_socket_t fd, int what, void* self, void*) {
        return static_cast<CurlLane*>(self)->on_socket(fd, what);
      });
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(
      multi, CURLMOPT_TIMERFUNCTION, +[](CURLM*, long milliseconds, void* self) {
        static_cast<CurlLane*>(self)->on_timeout(milliseconds);
        return 0;
      });
  // Without this option, libcurl 7.88 opens a connection for each stream beyond the server's limit.
  if (one_connection_) curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
}

// libcurl 7.88 sends a stream's reset only with the next data it has to send. If nothing is left to
// send, the connection is closed instead; otherwise the server would keep following the log for
// nobody.
void CurlLane::end(CURL* easy) {
  remove(easy);
  if (!one_connection_ || !transfers_.empty()) return;
  timer_.reset();
  open();
}

// Once the limit is known, libcurl respects it.
void CurlLane::count_place() {
  ++placed_;
  if (!one_connection_ || !limit_known_) return;
  learned_.streams_seen = std::max(learned_.streams_seen, placed_);
}

bool CurlLane::has_unsent() const {
  return std::ranges::any_of(transfers_,
                             [](const auto& entry) { return !entry.second->is_sent(); });
}

int CurlLane::on_socket(curl_socket_t fd, int what) {
  sockets_.erase(fd);  // erased first, since the loop allows one watch per descriptor
  if (what == CURL_POLL_REMOVE) return 0;
  sockets_[fd] =
      loop_.on_fd(fd, (what & CURL_POLL_IN) != 0, (what & CURL_POLL_OUT) != 0,
                  [this, fd](bool readable, bool writable) {
                    act(fd, (readable ? CURL_CSELECT_IN : 0) | (writable ? CURL_CSELECT_OUT : 0));
                  });
  return 0;
}

// libcurl's timer fires once; libcurl requests the next one itself, often several times in one
// call.
void CurlLane::on_timeout(long milliseconds) {
  timeout_ = milliseconds;
  if (!inside_curl_) set_timer();
}

void CurlLane::set_timer() {
  const auto milliseconds = std::exchange(timeout_, std::nullopt);
  if (!milliseconds) return;
  timer_.reset();
  if (*milliseconds < 0) return;
  timer_ = loop_.after(std::chrono::milliseconds(*milliseconds),
                       [this] { act(CURL_SOCKET_TIMEOUT, 0); });
}

void CurlLane::act(curl_socket_t fd, int events) {
  if ((events & CURL_CSELECT_IN) != 0) heartbeat_.heard();
  int running = 0;
  inside_curl_ = true;
  const bool one_reads =
      events == CURL_CSELECT_IN && one_connection_ && reading_.ask_one_to_read(transfers_);
  const CURLMcode outcome = curl_multi_socket_action(
      multi_.get(), one_reads ? CURL_SOCKET_TIMEOUT : fd, one_reads ? 0 : events, &running);
  need_memory(outcome != CURLM_OUT_OF_MEMORY);
  reading_.read_to_the_end(multi_.get());
  inside_curl_ = false;
  set_timer();
  settle();
}

void CurlLane::settle() {
  for (CURL* easy : std::exchange(to_add_, {})) add_to(multi_.get(), easy);
  for (CURL* easy : std::exchange(to_remove_, {})) end(easy);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg == CURLMSG_DONE) finish(message->easy_handle, message->data.result);
  }
  if (const auto code = std::exchange(lost_, std::nullopt)) {
    renew([code](Transfer& transfer) { transfer.finish(*code); });
  }
}

void CurlLane::on_chunk(const Transfer& transfer, bool may_leave_something) {
  if (learned_.protocol != Protocol::http2) return;
  const bool ends = one_connection_ && !transfer.request().endless;
  reading_.on_chunk(transfer.easy(), may_leave_something, ends);
}

std::shared_ptr<Transfer> CurlLane::remove(CURL* easy) {
  const auto found = transfers_.find(easy);
  if (found == transfers_.end()) return nullptr;
  const auto transfer = std::move(found->second);
  transfers_.erase(found);
  reading_.forget(easy);
  if (transfer->has_place()) --placed_;
  transfer->lane = nullptr;
  std::erase(held_, easy);
  curl_multi_remove_handle(multi_.get(), easy);
  if (transfers_.empty()) {
    closed = false;
    heartbeat_.end();
    end_question();
  }
  return transfer;
}

void CurlLane::finish(CURL* easy, CURLcode code) {
  if (const auto found = transfers_.find(easy); found != transfers_.end()) {
    const auto transfer = found->second;
    if (code == CURLE_OK && transfer->on_connection) return transfer->on_connection();
  }
  if (one_connection_ && is_of_connection(code)) lost_ = code;
  if (question_ && question_->easy() == easy) {
    end_question();
  } else if (const auto transfer = remove(easy)) {
    // The server's SETTINGS came before its answer.
    if (code == CURLE_OK && transfer->is_answered() && !limit_known_) start_held();
    transfer->finish(code);
  }
}

// libcurl 7.88 sends no PING over a connection with streams, so a small request replaces it, one
// that a kube-apiserver answers with priority however busy it is. Any answer is a sign of life,
// even a refusal, so the request needs no credential. It has the certificates of a running request,
// so that libcurl puts it on that request's connection.
void CurlLane::ask_for_sign_of_life() {
  const auto sent =
      std::ranges::find_if(transfers_, [](const auto& entry) { return entry.second->is_sent(); });
  if (question_ || learned_.protocol != Protocol::http2 || sent == transfers_.end()) return;
  Request request;
  request.target = "/livez";
  request.identity = sent->second->request().identity;
  request.ca_pem = sent->second->request().ca_pem;
  auto question = std::make_shared<Transfer>(settings_, learned_, std::move(request), Handlers{});
  if (!question->prepare()) return;
  curl_easy_setopt(question->easy(), CURLOPT_PIPEWAIT, 1L);
  question_ = std::move(question);
  add_to(multi_.get(), question_->easy());
}

// Returns false when the question was never sent on the connection.
bool CurlLane::end_question() {
  if (!question_) return false;
  const bool was_sent = question_->is_sent();
  curl_multi_remove_handle(multi_.get(), question_->easy());
  question_.reset();
  return was_sent;
}

// Requests that are to continue do so over another connection.
void CurlLane::give_up() {
  const Endpoint& endpoint = settings_.endpoint;
  const Error error =
      no_sign_of_life(settings_.server, endpoint.heartbeat_after + endpoint.heartbeat_patience);
  renew([&error](Transfer& transfer) { transfer.fail(error, true); });
}

// All requests on the connection end with it.
void CurlLane::renew(const std::function<void(Transfer&)>& end) {
  std::vector<std::shared_ptr<Transfer>> lost;
  while (!transfers_.empty()) lost.push_back(remove(transfers_.begin()->first));
  timer_.reset();
  open();
  for (const auto& transfer : lost) end(*transfer);
}

}  // namespace trainctl::net
