// The words of the status line, and the clock that keeps them true.
#include "job/follow/status_line.h"

#include <algorithm>

#include "base/text/text.h"

namespace trainctl::job {

namespace {

constexpr Duration k_second = std::chrono::seconds(1);

std::string running_replicas(const JobState& state) {
  const auto running = std::ranges::count_if(state.replicas, [](const ReplicaState& replica) {
    return replica.run.state == RunState::running;
  });
  return cat(running, '/', state.replicas.size(), " replicas");
}

}  // namespace

std::string status_line(std::string_view job_name, const JobState& state, Time began, Time now) {
  std::string text = cat(job_name, ": ", phase_name(state.phase), " for ",
                         format_age(now - state.since.value_or(began)));
  if (!state.message.empty()) return cat(text, ": ", state.message);
  if (state.phase == Phase::running) text += ", " + running_replicas(state);
  return text;
}

StatusLine::StatusLine(Console& console, Loop& loop, std::function<std::string()> text)
    : console_(console), loop_(loop), text_(std::move(text)) {
  if (console_.shows_status()) tick();
}

StatusLine::~StatusLine() {
  console_.set_status("");
}

void StatusLine::update() {
  if (console_.shows_status()) console_.set_status(text_());
}

void StatusLine::tick() {
  timer_ = loop_.after(k_second, [this] {
    update();
    tick();
  });
}

}  // namespace trainctl::job
