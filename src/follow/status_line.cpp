// Draws at most five times a second, and once a second where nothing changes.
#include "follow/status_line.h"

#include <utility>

namespace trainctl::job {
namespace {

constexpr Duration k_second = std::chrono::seconds(1);
constexpr Duration k_frame = std::chrono::milliseconds(200);

}  // namespace

StatusLine::StatusLine(Console& console, Loop& loop, std::function<Shown()> text)
    : console_(console), loop_(loop), text_(std::move(text)) {
  if (!console_.shows_status()) return;
  keys_ = quiet_keys(console_);
  tick();
}

StatusLine::~StatusLine() {
  console_.set_status("");
}

void StatusLine::update() {
  if (!console_.shows_status() || soon_ != nullptr) return;
  const Duration since = loop_.now() - drawn_;
  if (since >= k_frame) return draw();
  soon_ = loop_.after(k_frame - since, [this] { draw(); });
}

void StatusLine::draw() {
  soon_.reset();
  drawn_ = loop_.now();
  Shown shown = text_();
  console_.set_region(std::move(shown.lines), shown.done);
}

void StatusLine::tick() {
  timer_ = loop_.after(k_second, [this] {
    update();
    tick();
  });
}

}  // namespace trainctl::job
