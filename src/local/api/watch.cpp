// A watch reads the store's history at its client's pace, so nothing piles up for a slow one.
#include <algorithm>
#include <optional>

#include "base/text/text.h"
#include "local/api/handlers.h"

namespace trainctl::local {

namespace {

constexpr auto k_bookmark_interval = std::chrono::seconds(60);
constexpr auto k_longest_watch = std::chrono::minutes(45);  // the server's choice: 30 to 60

class WatchStream : public ApiStream {
 public:
  WatchStream(const ApiParts& parts, const ApiCall& call, ListOptions options)
      : loop_(parts.loop),
        store_(parts.store),
        resource_(*call.resource),
        ns_(call.ns),
        options_(std::move(options)),
        cursor_(options_.resource_version) {
    if (cursor_ == 0) begin_with_present_objects();
    subscription_ = store_.subscribe([this](const Change& change) { hear(change); });
    const std::chrono::seconds timeout(options_.timeout.value_or(0));
    const Duration life = timeout.count() > 0 ? Duration(timeout) : Duration(k_longest_watch);
    end_timer_ = loop_.after(life, [this] { finish(); });
    if (options_.bookmarks) bookmark_later();
  }

  std::optional<std::string> read(std::size_t limit) override {
    if (buffer_.empty() && !ended_) pull(limit);
    std::string piece = buffer_.substr(0, limit);
    buffer_.erase(0, piece.size());
    waiting_ = piece.empty() && !ended_;
    if (piece.empty() && ended_) return std::nullopt;
    return piece;
  }

  void on_ready(std::function<void()> ready) override { ready_ = std::move(ready); }

 private:
  bool is_relevant(const Change& change) const {
    return change.resource == &resource_ &&
           (ns_.empty() || text_at(*change.object, "/metadata/namespace") == ns_);
  }

  void hear(const Change& change) {
    // A reader that is up to date advances past changes that do not concern it.
    if (change.version <= cursor_ || !waiting_) return;
    if (is_relevant(change)) return wake();
    cursor_ = change.version;
  }

  void wake() {
    if (!waiting_) return;
    waiting_ = false;
    const auto ready = ready_;  // which may end this stream
    if (ready) ready();
  }

  // Moves changes into the buffer until there is enough to send.
  void pull(std::size_t limit) {
    std::vector<Change> changes;
    if (!store_.changes_since(cursor_, changes)) return expire();
    for (const Change& change : changes) {
      cursor_ = change.version;
      if (is_relevant(change)) write_change(change);
      if (buffer_.size() >= limit) return;
    }
    if (!finishing_) return;
    if (options_.bookmarks) write_bookmark();
    ended_ = true;
  }

  // Writes a change as seen through the client's selectors: an object that begins to match is
  // added, one that ceases to match is deleted.
  void write_change(const Change& change) {
    const bool now = change.type != ChangeType::deleted && matches(*change.object);
    const bool before = change.before && matches(*change.before);
    if (now) return write(before ? "MODIFIED" : "ADDED", change.object);
    if (!before) return;
    if (change.type == ChangeType::deleted) return write("DELETED", change.object);
    Json last = *change.before;
    set_at(last, "/metadata/resourceVersion", std::to_string(change.version));
    write("DELETED", std::make_shared<const Json>(std::move(last)));
  }

  bool matches(const Json& object) const { return options_.selection.matches(object); }

  void write(std::string_view type, const std::shared_ptr<const Json>& object) {
    write_line(type, *object);
  }

  void write_line(std::string_view type, const Json& object) {
    buffer_ += dump(Json{{"type", type}, {"object", object}});
    buffer_ += '\n';
  }

  void begin_with_present_objects() {
    cursor_ = store_.version();
    for (const auto& object : store_.list(resource_, ns_)) {
      if (matches(*object)) write("ADDED", object);
    }
  }

  void write_bookmark() {
    write_line("BOOKMARK", {{"kind", resource_.resource.kind},
                            {"apiVersion", resource_.resource.api_version()},
                            {"metadata", {{"resourceVersion", std::to_string(cursor_)}}}});
  }

  void bookmark_later() {
    bookmark_timer_ = loop_.after(k_bookmark_interval, [this] {
      bookmark_later();
      if (!waiting_) return;
      write_bookmark();
      wake();
    });
  }

  void expire() {
    const std::int64_t oldest = store_.version();
    write_line("ERROR",
               status_object({410, "Expired",
                              cat("too old resource version: ", cursor_, " (", oldest, ")")}));
    ended_ = true;
  }

  void finish() {
    finishing_ = true;
    bookmark_timer_ = nullptr;
    wake();
  }

  Loop& loop_;
  Store& store_;
  const ServedResource& resource_;
  const std::string ns_;
  const ListOptions options_;
  std::int64_t cursor_;  // everything up to this version has been written
  std::string buffer_;
  bool waiting_ = false;    // the reader is up to date and waits to be called
  bool finishing_ = false;  // the time is up
  bool ended_ = false;
  std::function<void()> ready_;
  HandlePtr subscription_;
  HandlePtr end_timer_;
  HandlePtr bookmark_timer_;
};

}  // namespace

ApiAnswer watch_objects(const ApiParts& parts, const ApiCall& call, ListOptions options) {
  ApiAnswer answer;
  answer.stream = std::make_unique<WatchStream>(parts, call, std::move(options));
  return answer;
}

}  // namespace trainctl::local
