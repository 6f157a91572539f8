// Sends the log request and emits its answer line by line.
#include "kube/stream/log_stream.h"

#include <memory>
#include <utility>

#include "base/text/text.h"
#include "kube/client/abandon_handle.h"
#include "net/url.h"

namespace trainctl::kube {

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
  explicit LogStream(LogHandlers handlers) : handlers_(std::move(handlers)) {}

  void start(Client& client, const LogQuery& query);
  void abandon() {
    over_ = true;
    request_.reset();
    later_.reset();
  }

 private:
  void on_open(int status);
  void on_data(std::string_view chunk);
  void report_progress(std::string_view chunk);
  void on_end(std::optional<Failure> failure);
  bool on_text(std::string_view text, bool complete);
  bool on_odd_text(std::string_view text, bool complete);
  auto sink() {
    return [this](std::string_view text, bool complete) { return on_text(text, complete); };
  }

  LogHandlers handlers_;
  LogLines lines_;
  StampReader stamps_;
  bool over_ = false;
  bool first_ = true;     // no line was emitted yet
  bool goes_on_ = false;  // the next text continues a line
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
  handlers.on_end = [weak](std::optional<Failure> failure) {
    if (const auto self = weak.lock()) self->on_end(std::move(failure));
  };
  request_ = client.stream(*std::move(request), std::move(handlers));
}

void LogStream::on_open(int status) {
  const bool has_log = status != 204;  // 204: the pod is not scheduled yet
  if (!over_ && has_log && handlers_.on_open) handlers_.on_open();
}

void LogStream::on_data(std::string_view chunk) {
  if (over_) return;
  lines_.feed(chunk, sink());
  if (handlers_.on_progress && !over_ && !lines_.rest().empty()) report_progress(chunk);
}

// Searches only the new chunk where it can, since a line may be long and come in many chunks.
void LogStream::report_progress(std::string_view chunk) {
  const bool overwrites = chunk.find('\r', chunk.rfind('\n') + 1) != std::string_view::npos;
  const std::string_view state = overwrites ? last_state(lines_.rest()) : std::string_view();
  if (!state.empty()) handlers_.on_progress(state);
}

bool LogStream::on_text(std::string_view text, bool complete) {
  if (first_ || goes_on_ || !complete) return on_odd_text(text, complete);
  handlers_.on_line(stamps_.read(text));
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
      handlers_.on_line({std::nullopt, {}, text.substr(0, glued), true});
      if (over_) return false;
      line = stamps_.read(text.substr(glued));
    }
  }
  line.complete = complete;
  handlers_.on_line(line);
  return !over_;
}

void LogStream::on_end(std::optional<Failure> failure) {
  if (over_) return;
  lines_.finish(sink());
  if (std::exchange(over_, true)) return;
  if (handlers_.on_end) handlers_.on_end(std::move(failure));
}

}  // namespace

HandlePtr open_log(Client& client, const LogQuery& query, LogHandlers handlers) {
  auto stream = std::make_shared<LogStream>(std::move(handlers));
  stream->start(client, query);
  return std::make_unique<AbandonHandle<LogStream>>(std::move(stream));
}

}  // namespace trainctl::kube
