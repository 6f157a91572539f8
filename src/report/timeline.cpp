// Reads the moments from pods, which keep the last two runs of a container and no more.
#include "report/timeline.h"

#include <algorithm>
#include <set>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "status/exit_words.h"

namespace trainctl::view {
namespace {

// The states that the pods tell of a replica, as spans one after another.
class LaneMaker {
 public:
  LaneMaker(const job::JobState& job, const job::ReplicaState& replica, Time until)
      : job_(job), replica_(replica), until_(until) {
    lane_.replica = replica.id.name();
    lane_.words = words();
  }

  Lane from(std::optional<Time> created) && {
    const auto& placed = replica_.pod.placed;
    if (created && (placed || !is_over())) add(Doing::queued, *created, placed.value_or(until_));
    if (placed) {
      add_runs(*placed);
    } else if (created && is_over() && job::is_final(job_.phase)) {
      add(Doing::unknown, *created, replica_.last_exit.finished.value_or(until_));
    }
    return std::move(lane_);
  }

 private:
  bool is_over() const {
    return replica_.run.is_over() || replica_.run.state == job::RunState::missing;
  }

  std::string words() const {
    const job::PresentRun& run = replica_.run;
    std::string text = lower(job::shown_state(job_, replica_));
    if (job::is_final(job_.phase) && run.state == job::RunState::running) text += " at the end";
    if (job::ended_in_failure(replica_)) {
      text = job::exit_words(replica_.last_exit.code, run.reason);
    } else if (!is_over() && !run.reason.empty()) {
      text = run.reason;
    }
    const int restarts = replica_.restarts().value_or(0);
    return restarts == 0 ? text : cat(text, ", ", plural(restarts, "restart"));
  }

  void add(Doing doing, Time begin, Time end) {
    if (begin < end) lane_.spans.push_back({doing, begin, end});
  }

  void add_runs(Time placed) {
    const job::LastExit& last = replica_.last_exit;
    const bool is_again = replica_.run.restarts.value_or(0) > 0;
    if (is_over()) {
      // Only the number of the runs before the last one is known.
      const Time began = std::max(placed, last.began.value_or(placed));
      add(is_again ? Doing::failed : Doing::starting, placed, began);
      if (is_again) lane_.restarts.push_back(began);
      add(job::ended_in_failure(replica_) ? Doing::failed : Doing::running, began,
          last.finished.value_or(until_));
      return;
    }
    const bool has_ended_before = is_again && last.finished;
    if (has_ended_before) add(Doing::failed, placed, *last.finished);
    const Time ready = has_ended_before ? *last.finished : placed;
    if (replica_.run.state != job::RunState::running) return add(Doing::starting, ready, until_);
    const Time began = replica_.run.since.value_or(ready);
    add(Doing::starting, ready, began);
    if (is_again) lane_.restarts.push_back(began);
    add(Doing::running, began, until_);
  }

  const job::JobState& job_;
  const job::ReplicaState& replica_;
  Time until_;
  Lane lane_;
};

bool is_unusual(const job::ReplicaState& replica, const std::string& culprit) {
  return replica.restarts().value_or(0) > 0 || job::ended_in_failure(replica) ||
         replica.id.name() == culprit;
}

// The places of the replicas that get a lane, in their order.
std::vector<std::size_t> shown_replicas(const job::JobState& state, const std::string& culprit) {
  std::vector<std::size_t> all;
  for (const bool unusual : {true, false}) {
    for (std::size_t i = 0; i < state.replicas.size(); ++i) {
      if (is_unusual(state.replicas[i], culprit) == unusual) all.push_back(i);
    }
  }
  const auto is_culprit = [&](std::size_t i) { return state.replicas[i].id.name() == culprit; };
  std::ranges::stable_partition(all, is_culprit);
  all.resize(std::min(all.size(), Timeline::k_most_lanes));
  std::ranges::sort(all);
  return all;
}

std::string_view class_of_doing(Doing doing) {
  switch (doing) {
    case Doing::queued:
      return "queued";
    case Doing::starting:
      return "starting";
    case Doing::running:
      return "running";
    case Doing::failed:
      return "failed";
    case Doing::unknown:
      return "unknown";
  }
  return "";
}

// The time from the first span to the last, on an axis of 1000 units.
class LaneAxis {
 public:
  explicit LaneAxis(const std::vector<Lane>& lanes) {
    for (const Lane& lane : lanes) {
      for (const LaneSpan& span : lane.spans) {
        begin_ = std::min(begin_, span.begin);
        end_ = std::max(end_, span.end);
      }
    }
  }
  bool is_empty() const { return begin_ >= end_; }
  long at(Time time) const {
    const double share =
        static_cast<double>((time - begin_).count()) / static_cast<double>((end_ - begin_).count());
    return static_cast<long>(std::clamp(share, 0.0, 1.0) * k_length);
  }
  std::string words() const {
    return cat(format_time(begin_), " to ", format_time(end_), " (", format_age(end_ - begin_),
               ')');
  }

  static constexpr long k_length = 1000;

 private:
  Time begin_ = Time::max(), end_ = Time::min();
};

Html bar(std::string_view css_class, long at, long width) {
  return Html::markup(cat("<rect class=\"", css_class, "\" x=\"", at, "\" width=\"",
                          std::max(width, 2L), "\" height=\"10\"/>"));
}

Html lane_html(const Lane& lane, const LaneAxis& axis) {
  constexpr int k_most_columns = 32;
  Html bars;
  for (const LaneSpan& span : lane.spans) {
    bars += bar(class_of_doing(span.doing), axis.at(span.begin),
                axis.at(span.end) - axis.at(span.begin));
  }
  for (const Time restart : lane.restarts) bars += bar("again", axis.at(restart), 3);
  const Html picture = Html::markup("<svg viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\">") +
                       bars + Html::markup("</svg>");
  return element(
      "div", lane.is_culprit ? "lane bad" : "lane",
      element("span", "", Html::text(lane.replica)) + picture +
          element("span", "", Html::text(shortened(printable_line(lane.words), k_most_columns))));
}

// Explains the colours that these lanes have.
Html key(const std::vector<Lane>& lanes) {
  std::set<std::string_view> drawn;
  for (const Lane& lane : lanes) {
    for (const LaneSpan& span : lane.spans) drawn.insert(class_of_doing(span.doing));
    if (!lane.restarts.empty()) drawn.insert("again");
  }
  Html all;
  for (const auto& [css_class, words] : {std::pair{"queued", "queued"},
                                         {"starting", "pulling or starting"},
                                         {"running", "running"},
                                         {"failed", "a run that failed"},
                                         {"again", "restarted"},
                                         {"unknown", "not known: its pod is gone"}}) {
    if (!drawn.contains(css_class)) continue;
    all += element("span", "",
                   Html::markup(cat("<svg viewBox=\"0 0 10 10\"><rect class=\"", css_class,
                                    "\" width=\"10\" height=\"10\"/></svg>")) +
                       Html::text(words));
  }
  return element("p", "key soft", all);
}

}  // namespace

Timeline timeline_of(const Json& job, const job::JobState& state, const std::string& culprit,
                     Time until) {
  const auto created = parse_time(text_at(job, "/metadata/creationTimestamp"));
  Timeline timeline;
  for (const std::size_t at : shown_replicas(state, culprit)) {
    Lane lane = LaneMaker(state, state.replicas[at], until).from(created);
    lane.is_culprit = lane.replica == culprit;
    timeline.lanes.push_back(std::move(lane));
  }
  timeline.left_out = state.replicas.size() - timeline.lanes.size();
  return timeline;
}

Html timeline_html(const Timeline& timeline) {
  const LaneAxis axis(timeline.lanes);
  if (axis.is_empty()) return {};
  Html html = element("p", "soft", Html::text(axis.words())) + key(timeline.lanes);
  for (const Lane& lane : timeline.lanes) html += lane_html(lane, axis);
  if (timeline.left_out == 0) return html;
  return html + element("p", "soft",
                        Html::text(cat(
                            "and ", plural(static_cast<long>(timeline.left_out), "more replica"))));
}

}  // namespace trainctl::view
