// The page about a run: nobody's text becomes markup, and no run makes it too large.
#include "report/html_report.h"

#include <set>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "manifest/kind/kind.h"

namespace trainctl::testing {
namespace html_report_test {

using namespace view;

const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts = {
      "</style><script>alert(1)</script>",
      "</pre></details></title><img src=x onerror=alert(1)>",
      "<a href=\"javascript:alert(1)\">x</a>",
      "\" onload=\"alert(1)\" x='",
      "' style='background:url(https://evil.test)'",
      "<svg><style>*{background:url(//evil.test)}</style></svg>",
      "<!-- -->]]><![CDATA[<base href=//evil.test>",
      "&lt;script&gt;&#60;script&#62;&",
      "\x1b]0;pwned\x07\x1b[31mred\x1b[2J",
      "a\xe2\x80\xae"
      "dls\xe2\x81\xa6 b",
      std::string("nul\0<b>", 7),
      "bytes \xff\xc0\x80\xed\xa0\x80 <i>",
      "\xef\xbf\xbe<u>",
      "line\r\n<meta http-equiv=refresh content=0>"};
  return texts;
}

// The page's own markup. Anything else came from a text.
class Checker {
 public:
  explicit Checker(std::string_view html) : rest_(html) {}

  // The first part of the page that is not ours; "" = there is none.
  std::string fault() {
    while (!rest_.empty()) {
      const auto at = rest_.find('<');
      if (at == std::string_view::npos) break;
      rest_.remove_prefix(at + 1);
      if (const std::string fault = tag(); !fault.empty()) return fault;
    }
    return open_.empty() ? "" : cat("not closed: ", open_.back());
  }

 private:
  std::string tag() {
    const auto end = rest_.find('>');
    const std::string text(rest_.substr(0, end));
    if (end == std::string_view::npos) return cat("no end: ", text);
    rest_.remove_prefix(end + 1);
    if (text == "!DOCTYPE html") return "";
    if (text.starts_with('/')) {
      if (open_.empty() || open_.back() != text.substr(1)) return cat("closes nothing: ", text);
      open_.pop_back();
      return "";
    }
    const auto name_end = std::min(text.find_first_of(" /"), text.size());
    const std::string name = text.substr(0, name_end);
    static const std::set<std::string> names = {
        "html",    "head",   "meta",  "title", "style", "body", "h1",      "h2",
        "h3",      "p",      "b",     "code",  "pre",   "div",  "span",    "dl",
        "dt",      "dd",     "table", "tr",    "th",    "td",   "section", "details",
        "summary", "footer", "svg",   "rect",  "text",  "line", "path"};
    if (!names.contains(name)) return text;
    if (const std::string fault = attributes(std::string_view(text).substr(name_end));
        !fault.empty()) {
      return cat(fault, " of ", text);
    }
    const bool is_alone = name == "meta" || text.ends_with('/');
    if (!is_alone) open_.push_back(name);
    return name == "style" ? style() : "";
  }

  std::string style() {
    const std::string_view rules = rest_.substr(0, rest_.find("</style>"));
    rest_.remove_prefix(rules.size());
    for (const char* loads : {"url(", "@import", "<", "evil"}) {
      if (rules.find(loads) != std::string_view::npos) return cat("a style has ", loads);
    }
    return "";
  }

  static std::string attributes(std::string_view text) {
    static const std::set<std::string, std::less<>> names = {
        "lang",    "charset", "http-equiv", "content",     "name",
        "class",   "xmlns",   "role",       "width",       "height",
        "viewBox", "x",       "y",          "x1",          "x2",
        "y1",      "y2",      "d",          "text-anchor", "preserveAspectRatio"};
    while (!(text = trim(text)).empty() && text != "/") {
      const auto sign = text.find("=\"");
      const auto end = sign == std::string_view::npos ? sign : text.find('"', sign + 2);
      if (end == std::string_view::npos) return std::string(text);
      if (!names.contains(text.substr(0, sign))) return std::string(text.substr(0, sign));
      text.remove_prefix(end + 1);
    }
    return "";
  }

  std::string_view rest_;
  std::vector<std::string> open_;
};

bool has_unseen_character(std::string_view html) {
  if (!is_utf8(html)) return true;
  while (!html.empty()) {
    const auto c = take_code_point(html);
    if (!c || (is_control(*c) && *c != '\n') || bends_line(*c)) return true;
  }
  return false;
}

job::MetricRecord metrics_named(const std::string& name, std::size_t points = 50) {
  job::MetricRecord record;
  for (const std::string& each : {std::string("loss"), name, cat(name, " accuracy")}) {
    job::MetricSeries series(each);
    for (std::size_t at = 0; at < points; ++at) {
      const auto step = static_cast<double>(at);
      series.add({step, Time(std::chrono::seconds(at)), 2 / (1 + step) + (at % 7) * 0.01});
    }
    record.series.push_back(std::move(series));
  }
  return record;
}

job::JobState state_of(std::size_t replicas, const std::string& reason) {
  const job::Kind& kind = *job::find_kind("PyTorchJob");
  job::JobState state;
  for (std::size_t at = 0; at < replicas; ++at) {
    job::ReplicaState replica;
    replica.id = {&kind.roles.back(), static_cast<int>(at)};
    replica.pod.placed = Time(std::chrono::seconds(10));
    replica.run.state = job::RunState::waiting;
    replica.run.reason = reason;
    state.replicas.push_back(std::move(replica));
  }
  return state;
}

TEST_CASE("a replica whose pod is gone has a lane, which does not say that it never ran") {
  const Json job = {{"metadata", {{"creationTimestamp", "1970-01-01T00:00:00Z"}}}};
  job::JobState state = state_of(2, "");
  state.phase = job::Phase::failed;
  for (job::ReplicaState& replica : state.replicas) {
    replica.pod.placed.reset();
    replica.run.state = job::RunState::missing;
  }
  state.replicas[0].last_exit.code = 3;
  state.replicas[0].last_exit.finished = Time(std::chrono::minutes(1));
  const Timeline timeline = timeline_of(job, state, "worker-0", Time(std::chrono::minutes(2)));
  for (const auto& [lane, minutes] : {std::pair{0, 1}, {1, 2}}) {
    CAPTURE(lane);
    REQUIRE(timeline.lanes[lane].spans.size() == 1);
    CHECK(timeline.lanes[lane].spans[0].doing == Doing::unknown);
    CHECK(timeline.lanes[lane].spans[0].end == Time(std::chrono::minutes(minutes)));
  }
  CHECK(timeline.lanes[1].words == "stopped");
}

TEST_CASE("a replica that ran when its job failed is not shown as running now") {
  const Json job = {{"metadata", {{"creationTimestamp", "1970-01-01T00:00:00Z"}}}};
  job::JobState state = state_of(1, "");
  state.phase = job::Phase::failed;
  state.replicas[0].run.state = job::RunState::running;
  const Timeline timeline = timeline_of(job, state, "", Time(std::chrono::minutes(2)));
  CHECK(timeline.lanes[0].words == "running at the end");
}

// Every field that can hold a text holds this one.
RunPage page_of(const std::string& text, std::size_t times = 1) {
  RunPage page;
  page.title = page.values = page.made = text;
  page.verdict = {Tone::bad, text, text, {text, text}, cat("see ", text, ": trainctl logs ", text)};
  page.facts = {{text, text}, {"Repeat", text, true}};
  page.metrics = metrics_named(text);
  const Json job = {{"metadata", {{"creationTimestamp", "1970-01-01T00:00:00Z"}}}};
  page.timeline = timeline_of(job, state_of(3, text), "worker-1", Time(std::chrono::minutes(2)));
  page.log.replica = text;
  page.differences.before = text;
  for (std::size_t at = 0; at < times; ++at) {
    page.log.lines.push_back(text);
    page.events.push_back({"uid", text, "Pod", text, "Warning", text, text, text, 3, {}, {}, ""});
    page.differences.found.push_back({text, Json(text), Json({text})});
    page.manifest += text + "\n";
  }
  return page;
}

TEST_CASE("no text of a job or a server becomes markup, and none hides or reorders what is read") {
  for (const std::string& text : hostile_texts()) {
    CAPTURE(text);
    for (const std::string& html :
         {run_html(page_of(text)), jobs_html(text, {as_member(page_of(text)), page_of(text)})}) {
      CHECK(Checker(html).fault() == "");
      CHECK_FALSE(has_unseen_character(html));
      CHECK(html.find("<script") == std::string::npos);
    }
  }
}

TEST_CASE("the checker of these tests finds what it is for") {
  for (const char* html : {"<script>", "<a href=\"x\">", "<p onclick=\"x\"></p>", "<p", "</p>",
                           "<p>", "<p class=x></p>"}) {
    CHECK(Checker(html).fault() != "");
  }
}

TEST_CASE("a page asks browsers to load and run nothing") {
  const std::string html = run_html(page_of("ddp"));
  CHECK(html.find("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"") !=
        std::string::npos);
  CHECK(html.find("prefers-color-scheme:dark") != std::string::npos);
  CHECK(html.find("@media print") != std::string::npos);
}

TEST_CASE("each metric has its chart: the main one a large, the others a small one") {
  const std::string html = run_html(page_of("ddp"));
  CHECK(html.find("<div class=\"wide\"><svg") != std::string::npos);
  CHECK(html.find("<div class=\"many\"><div><svg") != std::string::npos);
}

TEST_CASE("a page can be attached however much its run has said") {
  // Each quote takes six bytes.
  RunPage page = page_of(std::string(2000, '"'), 600);
  page.metrics = {};
  for (int at = 0; at < 64; ++at) {
    job::MetricRecord more = metrics_named(cat(at, std::string(500, '"')), 600);
    page.metrics.series.push_back(std::move(more.series[1]));
  }
  const Json job = {{"metadata", {{"creationTimestamp", "1970-01-01T00:00:00Z"}}}};
  page.timeline =
      timeline_of(job, state_of(1000, page.title), "worker-999", Time(std::chrono::hours(2)));
  CHECK(page.timeline.lanes.size() == Timeline::k_most_lanes);
  CHECK(page.timeline.left_out == 936);
  CHECK(page.timeline.lanes.back().replica == "worker-999");
  CHECK(page.timeline.lanes.back().is_culprit);
  CHECK(run_html(page).size() <= k_largest_page);
  CHECK(jobs_html(page.title, std::vector<RunPage>(1000, as_member(page))).size() <=
        k_largest_page);
}

TEST_CASE("a page says what it left out") {
  RunPage page = page_of("epoch", 100);
  const std::string html = run_html(page);
  CHECK(html.find("70 earlier events left out") != std::string::npos);
  const std::string_view log = behind(html, "Last lines of");
  const std::string lines = between(log, "<pre>", "</pre>");
  CHECK(std::count(lines.begin(), lines.end(), '\n') == PageLog::k_most_lines);
}

TEST_CASE("the curves of an array are drawn in one chart, and with the same axes each by itself") {
  std::vector<RunPage> members;
  for (const double offset : {0.0, 10.0}) {
    RunPage page;
    page.title = offset > 0 ? "worse" : "best";
    page.verdict = {Tone::good, "succeeded", "", {}, ""};
    job::MetricSeries loss("loss");
    for (const double step : {1.0, 100.0}) loss.add({step, {}, offset + 1});
    page.metrics.series.push_back(std::move(loss));
    members.push_back(as_member(std::move(page)));
  }
  const std::string html = jobs_html("sweep", members);
  const auto paths_of = [&html](std::string_view begin, std::string_view end) {
    const std::string_view part = between(html, begin, end);
    std::vector<std::string> paths;
    for (const std::string& piece : split(std::string(part), '\n')) {
      if (piece.starts_with("<path")) paths.push_back(std::string(between(piece, "d=\"", "\"")));
    }
    return paths;
  };
  CHECK(paths_of("<div class=\"wide\">", "</svg>").size() == 2);
  const auto alone = paths_of("<div class=\"many\">", "</section>");
  REQUIRE(alone.size() == 2);
  CHECK(alone[0] != alone[1]);  // each would be a line in the middle of axes of its own
}

TEST_CASE("members that count in different units are drawn over time, and the page says why") {
  std::vector<RunPage> members;
  for (const auto unit : {job::StepUnit::step, job::StepUnit::epoch}) {
    RunPage page;
    page.title = cat("by-", job::unit_name(unit));
    page.metrics = metrics_named("val loss");
    page.metrics.unit = unit;
    members.push_back(as_member(std::move(page)));
  }
  const std::string html = jobs_html("sweep", members);
  CHECK(html.find("one axis cannot count steps of by-step and epochs of by-epoch") !=
        std::string::npos);
  CHECK(between(html, "<div class=\"wide\">", "</svg>").find("time since the first value") !=
        std::string_view::npos);
  CHECK(between(html, "<div class=\"many\">", "</svg>").find("time since the first value") !=
        std::string_view::npos);
  members[1].metrics.unit = job::StepUnit::step;
  CHECK(jobs_html("sweep", members).find("time since") == std::string::npos);
}

TEST_CASE("of an array, failed jobs come first and then the best ones") {
  std::vector<RunPage> members;
  for (const auto& [name, tone, offset] : {std::tuple{"worse", Tone::good, 1.0},
                                           {"best", Tone::good, 0.0},
                                           {"failed", Tone::bad, 2.0},
                                           {"without", Tone::good, -1.0}}) {
    RunPage page;
    page.title = name;
    page.verdict = {tone, tone == Tone::bad ? "failed" : "succeeded", "", {}, ""};
    job::MetricSeries loss("loss");
    for (const double step : {1.0, 2.0}) loss.add({step, {}, 3 + offset - step});
    if (offset >= 0) page.metrics.series.push_back(std::move(loss));
    members.push_back(as_member(std::move(page)));
  }
  const std::string html = jobs_html("sweep", members);
  CHECK(html.find(">values</th>") == std::string::npos);  // no job has any
  CHECK(html.find(">verdict</th>") != std::string::npos);
  std::size_t before = 0;
  for (const char* name : {">failed</td>", ">best</td>", ">worse</td>", ">without</td>"}) {
    const std::size_t at = html.find(name);
    CAPTURE(name);
    CHECK(at != std::string::npos);
    CHECK(at > before);
    before = at;
  }
  CHECK(html.find("3 of 4 jobs succeeded, 1 failed") != std::string::npos);
}

TEST_CASE("a replica that was restarted shows its failed run, and when it began again") {
  job::JobState state = state_of(1, "");
  job::ReplicaState& replica = state.replicas.front();
  const auto at = [](int second) { return Time(std::chrono::seconds(second)); };
  replica.run.state = job::RunState::running;
  replica.run.since = at(40);
  replica.run.restarts = 1;
  replica.last_exit.code = 1;
  replica.last_exit.finished = at(30);
  const Json job = {{"metadata", {{"creationTimestamp", "1970-01-01T00:00:00Z"}}}};
  const Lane lane = timeline_of(job, state, "", at(60)).lanes.front();
  std::vector<Doing> doing;
  for (const LaneSpan& span : lane.spans) doing.push_back(span.doing);
  CHECK(doing == std::vector{Doing::queued, Doing::failed, Doing::starting, Doing::running});
  CHECK(lane.restarts == std::vector{at(40)});
  CHECK(lane.spans.back().end == at(60));
  CHECK(lane.words == "running, 1 restart");
}

}  // namespace html_report_test
}  // namespace trainctl::testing
