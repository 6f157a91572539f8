// `trainctl plot JOB|RUN|ARRAY|FILE…`: the metrics of runs as curves, or as data.
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <memory>
#include <utility>

#include "base/console/raw_terminal.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/metric_sources.h"
#include "cli/output/output.h"
#include "cli/output/watching.h"
#include "metrics/chart.h"
#include "metrics/metric_json.h"
#include "metrics/svg_chart.h"
#include "work/find/default_job.h"

namespace trainctl::cli {
namespace {

constexpr Duration k_between_plots = std::chrono::seconds(5);

struct PlotOptions {
  std::vector<std::string> sources, metrics;  // metrics: NAME or NAME=REGEX
  std::optional<view::ChartX> x;
  std::optional<long> smooth;
  options::PlotFormat output = options::PlotFormat::text;
  bool log_y = false;
  bool watch = false;
};

// The choices of --metric: which metrics to draw, and how to read some of them.
struct Wanted {
  std::vector<std::string> metrics;
  job::MetricPatterns own;
};

// One curve to be.
struct Chosen {
  const MetricSource* source = nullptr;
  const job::MetricSeries* series = nullptr;
};

Status check_plot(const PlotOptions& options, Context& context) {
  if (std::ranges::count(options.sources, "-") > 1) {
    return Error{Code::usage, "stdin can be read once", "name - once"};
  }
  if (!options.watch) return {};
  if (options.output != options::PlotFormat::text) {
    return Error{Code::usage, "-w draws in the terminal, and prints no data",
                 "leave out -w, or -o"};
  }
  const bool are_files = std::ranges::all_of(
      options.sources, [&](const std::string& one) { return is_metric_file(context, one); });
  if (!are_files) return {};
  return Error{Code::usage, "-w redraws a running job, but only files are named", "leave out -w"};
}

Wanted wanted_metrics(const PlotOptions& options) {
  Wanted wanted;
  for (const std::string& text : options.metrics) {
    auto own = job::parse_metric_pattern(text);
    if (own && own->is_value()) wanted.metrics.push_back(own->name);
    if (!own) wanted.metrics.push_back(text);
    if (own) wanted.own.push_back(*std::move(own));
  }
  return wanted;
}

std::string metric_fault(const std::string& text) {
  if (text.find('=') == std::string::npos) return "";
  const auto own = job::parse_metric_pattern(text);
  return own ? "" : own.error().message;
}

Result<std::vector<MetricSource>> all_sources(const PlotOptions& options, Context& context,
                                              const job::MetricPatterns& own) {
  std::vector<MetricSource> all;
  for (const std::string& word : options.sources) {
    TRY_ASSIGN(auto sources, find_metrics(context, word, own));
    std::ranges::move(sources, std::back_inserter(all));
  }
  return all;
}

bool can_be_drawn(const MetricSource& source) {
  return source.record.has_points() || source.record.not_finite() != nullptr;
}

// `name`: of one source or more, of which `source` is the first.
std::string why_not_drawn(const MetricSource& source, const std::string& name) {
  return source.record.series.empty()
             ? cat("no metrics in the log of ", name)
             : cat("only the last values of ", name, " are known: no command read the whole log");
}

// Leaves out sources without metrics; Code::not_found when no other is left.
Status keep_with_metrics(Context& context, std::vector<MetricSource>& sources) {
  if (std::ranges::none_of(sources, can_be_drawn)) {
    std::vector<std::string> names;
    for (const MetricSource& source : sources) names.push_back(printable_line(source.name));
    const MetricSource& first = sources.front();
    return Error{Code::not_found, why_not_drawn(first, some_of(names)),
                 first.record.series.empty()
                     ? "print lines with a step and a value, such as: step 100/2000 loss 0.52; "
                       "--metric NAME=REGEX reads others"
                     : "trainctl history shows them; submit --follow keeps all values"};
  }
  for (const MetricSource& source : sources) {
    if (!can_be_drawn(source)) context.console.warn(why_not_drawn(source, source.name));
  }
  std::erase_if(sources, std::not_fn(can_be_drawn));
  std::vector<std::string> early;
  for (const MetricSource& source : sources) {
    if (source.ends_early) early.push_back(printable_line(source.name));
  }
  if (early.empty()) return {};
  context.notice_once(
      cat("the metrics of ", some_of(early), " end where the last command that read the log left"));
  return {};
}

std::vector<std::string> metrics_of(const std::vector<MetricSource>& sources) {
  std::vector<std::string> names;
  for (const MetricSource& source : sources) {
    for (const job::MetricSeries& series : source.record.series) {
      const std::string name = printable_line(series.name());
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

Error no_such_metric(const std::vector<MetricSource>& sources, const std::string& metric) {
  const std::vector<std::string> names = metrics_of(sources);
  const std::string near = nearest(metric, names);
  return {Code::not_found, cat("no metric ", printable_line(metric), "; there is ", some_of(names)),
          near.empty() ? "leave out --metric for the most telling one"
                       : cat("did you mean --metric ", shell_quoted(near), '?')};
}

// Without --metric, the most telling one of each source, or all of them (`all`).
Result<std::vector<Chosen>> choose(const std::vector<std::string>& metrics,
                                   const std::vector<MetricSource>& sources, bool all) {
  std::vector<Chosen> chosen;
  for (const std::string& metric : metrics) {
    bool is_there = false;
    for (const MetricSource& source : sources) {
      const job::MetricSeries* const series = source.record.find_spelled(metric);
      if (series == nullptr) continue;
      is_there = true;
      const bool is_new = std::ranges::find(chosen, series, &Chosen::series) == chosen.end();
      if (is_new) chosen.push_back({&source, series});
    }
    if (!is_there) return no_such_metric(sources, metric);
  }
  if (!metrics.empty()) return chosen;
  for (const MetricSource& source : sources) {
    if (!all) chosen.push_back({&source, source.record.main()});
    for (const job::MetricSeries& series : source.record.series) {
      if (all) chosen.push_back({&source, &series});
    }
  }
  return chosen;
}

// Tells which sources have no curve, for each metric once.
void warn_of_lacking(Context& context, const std::vector<std::string>& metrics,
                     const std::vector<MetricSource>& sources) {
  for (const std::string& metric : metrics) {
    std::vector<MetricSource> lacking;
    for (const MetricSource& source : sources) {
      if (source.record.find_spelled(metric) == nullptr) lacking.push_back(source);
    }
    if (lacking.empty()) continue;
    std::vector<std::string> names;
    for (const MetricSource& source : lacking) names.push_back(source.name);
    const bool is_one = lacking.size() == 1;
    context.console.warn(
        cat(some_of(names), is_one ? " has no metric " : " have no metric ", metric,
            is_one ? "; it has: " : "; they have: ", some_of(metrics_of(lacking))));
  }
}

// A legend has room for some of many runs: the best ones come first, as those of an array do. A run
// that failed is never called the best, as little as while its array is followed.
void rank_many(std::vector<Chosen>& chosen) {
  constexpr std::size_t k_few = 4;
  const auto is_first = [&chosen](const Chosen& one) {
    return job::is_same_metric(one.series->name(), chosen.front().series->name());
  };
  const bool is_of_array =
      std::ranges::any_of(chosen, [](const Chosen& one) { return !one.source->values.empty(); });
  if (chosen.size() <= k_few && !is_of_array) return;
  if (!std::ranges::all_of(chosen, is_first)) return;
  std::ranges::stable_sort(chosen, {}, [](const Chosen& one) {
    return std::pair(one.source->has_failed(), one.series->cost());
  });
}

// Over steps, unless the user wants it otherwise, or one axis cannot have the steps of all runs.
Result<view::ChartX> x_of(const PlotOptions& options, const std::vector<Chosen>& chosen,
                          Context& context) {
  const auto timeless =
      std::ranges::find_if(chosen, [](const Chosen& one) { return !one.source->has_times; });
  const bool has_times = timeless == chosen.end();
  if (options.x == view::ChartX::time) {
    if (has_times) return view::ChartX::time;
    return Error{Code::usage,
                 cat("the lines of ", printable_line(timeless->source->name), " have no times"),
                 "use --x step, or a file that trainctl logs --timestamps prints"};
  }
  std::vector<view::CountedRun> runs;
  for (const Chosen& one : chosen) runs.push_back({one.source->name, one.source->record.unit});
  const std::string apart = view::units_apart(runs);
  if (apart.empty()) return view::ChartX::step;
  const std::string fault = cat("one axis cannot count ", apart);
  if (!has_times || options.x) {
    return Error{Code::usage, fault,
                 has_times ? "use --x time, or plot them one by one"
                           : "plot them one by one, or over time the files that trainctl logs "
                             "--timestamps prints"};
  }
  context.notice_once(cat("drawn over time, as --x time does: ", fault));
  return view::ChartX::time;
}

// "sweep-2 lr=3e-2"
std::string label_of(const MetricSource& source) {
  return source.values.empty() ? source.name : cat(source.name, ' ', source.values);
}

view::ChartInput chart_of(const PlotOptions& options, view::ChartX x,
                          const std::vector<Chosen>& chosen) {
  const Chosen& first = chosen.front();
  const bool has_sources = std::ranges::any_of(
      chosen, [&first](const Chosen& one) { return one.source != first.source; });
  const bool has_metrics = std::ranges::any_of(chosen, [&first](const Chosen& one) {
    return !job::is_same_metric(one.series->name(), first.series->name());
  });
  view::ChartInput input{"", x, options.log_y, {}};
  const auto smooth = static_cast<std::size_t>(options.smooth.value_or(1));
  for (const Chosen& one : chosen) {
    const std::string& metric = one.series->name();
    const std::string source = label_of(*one.source);
    const std::string behind = has_metrics ? " " + metric : "";
    input.curves.push_back(view::curve_of(has_sources ? source + behind : metric, *one.series,
                                          one.source->record, {x, smooth, options.log_y}));
    const std::string& values = one.source->values;
    if (has_sources && !values.empty()) input.curves.back().short_name = values + behind;
  }
  if (!has_sources) input.title = label_of(*first.source);
  if (has_sources && !has_metrics) input.title = first.series->name();
  return input;
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string csv_text(const std::string& text) {
  const std::string line = printable_line(text);
  if (line.find_first_of(",\"") == std::string::npos) return line;
  std::string quoted = "\"";
  for (const char c : line) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_of(const std::vector<Chosen>& chosen) {
  std::string out = "run,metric,step,time,value\n";
  for (const Chosen& one : chosen) {
    const std::string names = csv_text(one.source->name) + ',' + csv_text(one.series->name());
    for (const job::MetricPoint& point : one.series->points()) {
      out += cat(names, ',', number_text(point.step), ',',
                 one.source->has_times ? format_time(point.time) : "", ',',
                 number_text(point.value), '\n');
    }
  }
  return out;
}

// The records with the chosen metrics alone.
Json metric_report(const std::vector<MetricSource>& sources, const std::vector<Chosen>& chosen) {
  Json items = Json::array();
  for (const MetricSource& source : sources) {
    job::MetricRecord record = source.record;
    std::erase_if(record.series, [&](const job::MetricSeries& series) {
      return std::ranges::none_of(chosen, [&](const Chosen& one) {
        return one.source == &source && one.series->name() == series.name();
      });
    });
    Json item = {{"name", source.name}};
    if (source.run > 0) item["run"] = source.run;
    item["metrics"] = job::metrics_json(record, true);
    items.push_back(std::move(item));
  }
  return {{"apiVersion", "trainctl/v1"}, {"kind", "MetricReportList"}, {"items", std::move(items)}};
}

// The values that a logarithmic axis has no place for.
struct LeftOut {
  long count = 0;
  std::vector<std::string> curves;
};

void note_left_out(const Chosen& one, LeftOut& left_out) {
  const auto count = std::ranges::count_if(
      one.series->points(), [](const job::MetricPoint& point) { return point.value <= 0; });
  if (count == 0) return;
  left_out.count += count;
  left_out.curves.push_back(cat(one.series->name(), " of ", one.source->name));
}

void warn_of_missing(Context& context, const view::ChartInput& input,
                     const std::vector<Chosen>& chosen) {
  LeftOut left_out;
  for (std::size_t at = 0; at < chosen.size(); ++at) {
    const job::MetricSeries& series = *chosen[at].series;
    if (series.not_finite_since) {
      context.console.warn(cat(series.name(), " of ", chosen[at].source->name,
                               " is not a finite number since step ",
                               number_text(*series.not_finite_since)));
    } else if (input.log_y && input.curves[at].points.empty()) {
      context.console.warn(cat(series.name(), " of ", chosen[at].source->name,
                               " has no positive values for --log-y"));
    } else if (input.log_y) {
      note_left_out(chosen[at], left_out);
    }
  }
  if (left_out.count == 0) return;
  context.console.warn(cat("--log-y leaves out ", plural(left_out.count, "value"),
                           left_out.count == 1 ? " that is" : " that are",
                           " not positive: ", some_of(left_out.curves)));
}

// One picture, or one after another.
class Plotter {
 public:
  Plotter(Context& context, const PlotOptions& options)
      : context_(context), options_(options), wanted_(wanted_metrics(options)) {}

  Status show() {
    TRY_ASSIGN(std::vector<MetricSource> sources, found_sources());
    is_live_ = std::ranges::any_of(sources, &MetricSource::is_live);
    Status kept = keep_with_metrics(context_, sources);
    // A job that has just begun will print some.
    if (!kept && options_.watch && is_live_) return put("no metrics yet\n");
    TRY(std::move(kept));
    const bool is_data =
        options_.output == options::PlotFormat::json || options_.output == options::PlotFormat::csv;
    TRY_ASSIGN(std::vector<Chosen> chosen, choose(wanted_.metrics, sources, is_data));
    const bool is_first = !std::exchange(has_drawn_, true);
    if (is_first) warn_of_lacking(context_, wanted_.metrics, sources);
    if (!is_data) rank_many(chosen);
    if (options_.output == options::PlotFormat::csv) return context_.console.out(csv_of(chosen));
    if (is_data) {
      return print_data(context_, options::Format::json, metric_report(sources, chosen));
    }
    TRY_ASSIGN(const view::ChartX x, x_of(options_, chosen, context_));
    const view::ChartInput input = chart_of(options_, x, chosen);
    if (is_first) warn_of_missing(context_, input, chosen);
    if (options_.output == options::PlotFormat::svg) {
      return context_.console.out(view::svg_chart(input));
    }
    return put(view::chart_text(input, room(), context_.console));
  }

  // Until the jobs are over, or the user types q.
  Status watch() {
    TRY(show());
    const auto keys = quiet_keys(context_.console);
    while (is_live_) {
      TRY_ASSIGN(const bool quits, pause_or_quit(context_, k_between_plots));
      if (quits) return {};
      const Status shown = show();
      if (!shown && shown.error().code != Code::unreachable) return shown;
    }
    return {};
  }

 private:
  Result<std::vector<MetricSource>> found_sources() {
    const work::LimitedCalls limited(context_);
    return all_sources(options_, context_, wanted_.own);
  }

  // A line is left for the prompt.
  Console::Size room() {
    Console::Size size = context_.console.size();
    size.height = is_in_place() ? static_cast<int>(context_.console.row_room()) : size.height - 1;
    return size;
  }

  bool is_in_place() const { return options_.watch && context_.console.puts_rows(); }

  Status put(const std::string& picture) {
    if (is_in_place()) return context_.console.put_rows(picture);
    const bool is_first = !std::exchange(has_shown_, true);
    return context_.console.out(is_first ? picture : "\n" + picture);
  }

  Context& context_;
  const PlotOptions& options_;
  const Wanted wanted_;
  bool is_live_ = false;
  bool has_shown_ = false;
  bool has_drawn_ = false;
};

Status run_plot(PlotOptions& options, Context& context) {
  TRY(check_plot(options, context));
  TRY_ASSIGN(options.sources, work::jobs_or_newest(context, options.sources, nullptr));
  Plotter plotter(context, options);
  return options.watch ? plotter.watch() : plotter.show();
}

}  // namespace

Runner define_plot(const Definition& definition) {
  auto options = std::make_shared<PlotOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "SOURCE...", options->sources, 0, k_any_number,
                  "job, array, number of a run, or file of log text: an existing file whose name "
                  "has a / or a dot, or - for stdin; the newest job by default");
  check_values(bind("metric", options->metrics), metric_fault);
  bind("x", options->x);
  refuse_below_one(bind("smooth", options->smooth));
  bind("log-y", options->log_y);
  bind("watch", options->watch);
  bind("output", options->output);
  return [options](Context& context) { return run_plot(*options, context); };
}

}  // namespace trainctl::cli
