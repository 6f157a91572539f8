// Shows judged jobs: as rows in place on a terminal, else each change once.
#include "cli/commands/get_watch.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/console/raw_terminal.h"
#include "base/text/text.h"
#include "base/value/yaml.h"
#include "cli/output/watching.h"
#include "follow/report.h"
#include "manifest/array.h"
#include "view/job_table.h"
#include "work/find/find_job.h"
#include "work/find/job_progress.h"

namespace trainctl::cli {
namespace {

constexpr Duration k_tick = std::chrono::seconds(1);  // ages grow by themselves

class JobWatch : public job::JobsSink {
 public:
  JobWatch(Context& context, const WatchRequest& request)
      : context_(context),
        request_(request),
        shape_{request.jobs.ns.empty(), request.format == options::Format::wide},
        is_table_(request.format == options::Format::text || shape_.wide) {
    metrics_ = work::kept_metrics(context, request.jobs.ns);
  }

  Status run(kube::Client& client) {
    monitor_.emplace(client, request_.jobs, *this);
    const auto keys = is_table_ ? quiet_keys(context_.console) : nullptr;
    return watch_until_stopped(context_, stop_);
  }

 private:
  // The last output about a job: a row, or its report in two parts.
  struct Look {
    std::string state, object;
    bool operator==(const Look&) const = default;
  };
  using Row = std::pair<std::string_view, const job::JudgedJob*>;
  // The order in which `get` lists jobs, of keys NAMESPACE/NAME/UID.
  struct TableOrder {
    bool operator()(std::string_view a, std::string_view b) const {
      const std::string_view ns_a = a.substr(0, a.find('/'));
      const std::string_view ns_b = b.substr(0, b.find('/'));
      if (ns_a != ns_b) return ns_a < ns_b;
      const std::string_view name_a = a.substr(0, a.rfind('/'));
      const std::string_view name_b = b.substr(0, b.rfind('/'));
      if (comes_before(name_a, name_b) || comes_before(name_b, name_a)) {
        return comes_before(name_a, name_b);
      }
      return a < b;
    }
  };
  using Rows = std::map<std::string_view, const job::JudgedJob*, TableOrder>;

  void on_change() override { end_on_failure(show()); }
  void on_gone(const std::string& key, const job::JudgedJob& last) override {
    end_on_failure(show_gone(key, last));
  }
  void on_trouble(const std::string& notice) override {
    if (!notice.empty()) context_.console.notice(notice);
  }
  void on_missing(const kube::Resource& resource, const Error& error) override {
    context_.console.warn(
        cat("states may be wrong without the ", resource.plural, ": ", error.message));
  }
  void on_stop(const Error& error) override { stop_ = error; }

  void end_on_failure(const Status& shown) {
    if (!shown) stop_ = shown.error();
  }

  Rows rows() const {
    Rows rows;
    for (const auto& [key, job] : monitor_->jobs()) {
      if (request_.is_wanted(job.state.phase)) rows.emplace(key, &job);
    }
    return rows;
  }

  void find_values(const Rows& rows) {
    if (shape_.with_values || !context_.console.out_is_tty) return;
    shape_.with_values = std::ranges::any_of(
        rows, [](const auto& row) { return !job::member_values(*row.second->object).empty(); });
    widths_ = view::job_widths(shape_);
  }

  bool is_in_place() const { return is_table_ && context_.console.puts_rows(); }

  Status show() {
    if (is_in_place()) return show_in_place();
    const Rows all = rows();
    if (!header_shown_) find_values(all);
    const Status shown = show_changes(all);
    std::erase_if(shown_, [&all](const auto& each) { return !all.contains(each.first); });
    return shown;
  }

  Status show_in_place() {
    tick_ = context_.loop.after(k_tick, [this] {
      // A judgement that is due shows the rows itself.
      if (monitor_->up_to_date()) end_on_failure(show_in_place());
    });
    const Rows all = rows();
    find_values(all);
    const Rows shown = most_wanted(all, context_.console.row_room());
    return context_.console.put_rows(table_text(shown) + what_is_left(all, shown));
  }

  // The rows for which there is room, beside the heading and a line about the others: jobs that
  // have failed lately, those that go on, then those that ended last.
  static Rows most_wanted(const Rows& all, std::size_t room) {
    if (all.size() + 1 <= room) return all;
    std::vector<Row> order(all.begin(), all.end());
    const auto rank = [](const Row& row) {
      const job::JobState& state = row.second->state;
      const bool has_failed = state.phase == job::Phase::failed;
      return std::tuple(has_failed, !job::is_final(state.phase), state.since.value_or(Time{}));
    };
    std::ranges::stable_sort(
        order, [&rank](const auto& one, const auto& other) { return rank(one) > rank(other); });
    // Old failures leave half of the rows to what goes on.
    const std::size_t rows = std::max<std::size_t>(room, 3) - 2;
    const auto count = [&order](auto is_meant) {
      return static_cast<std::size_t>(std::ranges::count_if(order, is_meant));
    };
    const std::size_t failed = count([&rank](const Row& row) { return std::get<0>(rank(row)); });
    const std::size_t alive = count([&rank](const Row& row) { return std::get<1>(rank(row)); });
    const std::size_t kept = std::min(failed, std::max(rows / 2, rows - std::min(rows, alive)));
    const auto at = [&order](std::size_t n) { return order.begin() + static_cast<long>(n); };
    std::rotate(at(kept), at(failed), at(failed + alive));
    order.resize(rows);
    return {order.begin(), order.end()};
  }

  // "… 12 more: 9 Succeeded, 3 Running"
  static std::string what_is_left(const Rows& all, const Rows& shown) {
    if (shown.size() == all.size()) return "";
    std::map<job::Phase, int> counts;
    for (const auto& [key, row] : all) counts[row->state.phase] += shown.contains(key) ? 0 : 1;
    return view::left_out_line(counts);
  }

  // Shows the job's last state even when its deletion follows at once.
  Status show_gone(const std::string& key, const job::JudgedJob& last) {
    const auto shown = shown_.find(key);
    // The deletion gives the object a version of its own, which is not news.
    const bool says_more = shown == shown_.end() || shown->second.state != look_of(last).state;
    if (says_more && request_.is_wanted(last.state.phase) && !is_in_place()) {
      TRY(show_changes({{key, &last}}));
    }
    context_.console.notice(gone_words(last));
    return shown_.erase(key) > 0 ? show_record_of_gone(last) : Status{};
  }

  static std::string gone_words(const job::JudgedJob& last) {
    const std::string& message = last.state.message;
    return cat(lower(last.kind->resource.kind), " ", text_at(*last.object, "/metadata/name"),
               " was deleted (", phase_name(last.state.phase), message.empty() ? "" : ": ",
               printable_line(message), ")");
  }

  Status show_record_of_gone(const job::JudgedJob& last) {
    if (is_table_ || request_.format == options::Format::name) return {};
    Json report = report_of(last);
    report["deleted"] = true;
    return put_record(last, report);
  }

  Status show_changes(const Rows& rows) {
    return is_table_ ? show_changed_rows(rows) : show_changed_reports(rows);
  }

  Status show_changed_rows(const Rows& rows) {
    Table table = table_of(rows);
    table.at_least(widths_);
    widths_ = table.widths();
    const std::vector<std::string> lines = split(table.text(context_.console), '\n');
    std::string text;
    if (!std::exchange(header_shown_, true)) text = lines.front() + '\n';
    std::size_t line = 0;
    for (const auto& [key, row] : rows) {
      ++line;
      if (is_new(key, *row)) text += lines[line] + '\n';
    }
    return context_.console.out(text);
  }

  Status show_changed_reports(const Rows& rows) {
    for (const auto& [key, row] : rows) {
      if (!is_new(key, *row)) continue;
      TRY(put_record(*row, report_of(*row)));
    }
    return {};
  }

  bool is_new(std::string_view key, const job::JudgedJob& job) {
    Look look = look_of(job);
    Look& shown = shown_[std::string(key)];
    if (shown == look) return false;
    shown = std::move(look);
    return true;
  }

  // A row without the ages, which change by themselves.
  Look look_of(const job::JudgedJob& job) const {
    Look look;
    if (is_table_) {
      for (const Cell& cell : row_of(job, Time{})) look.state += cell.text + '\t';
      return look;
    }
    Json report = report_of(job);
    look.object = dump(report["object"]);
    report.erase("object");
    look.state = dump(report);
    return look;
  }

  Table table_of(const Rows& rows) const {
    Table table(view::job_header(shape_));
    for (const auto& [key, row] : rows) table.add(row_of(*row, context_.loop.now()));
    return table;
  }

  std::string table_text(const Rows& rows) const {
    Table table = table_of(rows);
    table.fit(context_.console);
    table.may_drop(view::less_needed_columns());
    return table.text(context_.console);
  }

  std::vector<Cell> row_of(const job::JudgedJob& job, Time now) const {
    const auto kept = metrics_.find(text_at(*job.object, "/metadata/uid"));
    return view::job_row(*job.kind, *job.object, job.state, shape_, now,
                         kept == metrics_.end() ? Json() : kept->second);
  }

  static Json report_of(const job::JudgedJob& job) {
    return job::job_report(*job.kind, *job.object, job.state);
  }

  Status put_record(const job::JudgedJob& job, const Json& report) {
    Console& console = context_.console;
    if (request_.format == options::Format::json) return console.out_json(dump(report) + '\n');
    if (request_.format == options::Format::yaml)
      return console.out_json("---\n" + to_yaml(report));
    return console.out(work::resource_name(*job.kind, text_at(*job.object, "/metadata/name")) +
                       '\n');
  }

  Context& context_;
  const WatchRequest& request_;
  view::TableShape shape_;
  bool is_table_;
  bool header_shown_ = false;
  std::map<std::string, Json> metrics_;  // that the history has, by the jobs' uids
  std::vector<int> widths_ =
      view::job_widths(shape_);        // of the columns, so that they never get narrower
  std::map<std::string, Look> shown_;  // by the jobs' keys
  std::optional<Error> stop_;
  HandlePtr tick_;
  std::optional<job::JobsMonitor> monitor_;  // last: its callbacks use all of the above
};

}  // namespace

Status watch_jobs(Context& context, const WatchRequest& request) {
  TRY_ASSIGN(kube::Client * client, context.client());
  return JobWatch(context, request).run(*client);
}

}  // namespace trainctl::cli
