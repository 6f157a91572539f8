// One spelling for the file and for scripts, so that nothing is lost between them.
#include "history/run_report.h"

#include <algorithm>
#include <cstdint>

#include "base/text/text.h"
#include "manifest/code.h"

namespace trainctl::work {
namespace {

void put_text(Json& facts, const char* key, const std::string& value) {
  if (!value.empty()) facts[key] = value;
}

void put_time(Json& facts, const char* key, const std::optional<Time>& time) {
  if (time) facts[key] = format_time(*time);
}

void collect_images(const Json& value, std::vector<std::string>& images) {
  if (!value.is_structured()) return;
  const std::string image = value.is_object() ? text_at(value, "/image") : "";
  const bool is_new = !image.empty() && std::ranges::find(images, image) == images.end();
  if (is_new) images.push_back(image);
  for (const Json& inner : value) collect_images(inner, images);
}

Json without_points(Json metrics) {
  const auto series = metrics.find("series");
  if (series == metrics.end()) return metrics;
  for (Json& one : *series) one.erase("points");
  return metrics;
}

}  // namespace

std::optional<Duration> duration_of(const PastRun& run) {
  const auto began = run.started ? run.started : run.submitted;
  const bool is_known = began && run.ended && *run.ended >= *began;
  return is_known ? std::optional<Duration>(*run.ended - *began) : std::nullopt;
}

Json run_facts(const PastRun& run) {
  Json facts = Json::object();
  put_text(facts, "name", run.name);
  put_text(facts, "namespace", run.ns);
  put_text(facts, "jobKind", run.kind);
  put_text(facts, "uid", run.uid);
  put_text(facts, "cluster", run.cluster);
  put_time(facts, "submitted", run.submitted);
  put_time(facts, "started", run.started);
  put_time(facts, "ended", run.ended);
  if (const auto duration = duration_of(run)) {
    facts["seconds"] = std::int64_t{*duration / std::chrono::seconds(1)};
  }
  if (!run.verdict.empty()) {
    facts["verdict"] = {{"result", run.verdict}};
    if (run.exit_status) facts["verdict"]["exitStatus"] = *run.exit_status;
    put_text(facts["verdict"], "message", run.message);
  }
  put_text(facts, "savedLogs", run.saved_logs);
  if (run.origin.elsewhere) facts["submittedElsewhere"] = true;
  put_text(facts, "line", run.origin.line);
  put_text(facts, "arrayValues", run.origin.array_values);
  if (!run.metrics.is_null()) facts["metrics"] = without_points(run.metrics);
  return facts;
}

PastRun read_run_facts(const Json& facts) {
  PastRun run;
  run.name = text_at(facts, "/name");
  run.ns = text_at(facts, "/namespace");
  run.kind = text_at(facts, "/jobKind");
  run.uid = text_at(facts, "/uid");
  run.cluster = text_at(facts, "/cluster");
  run.submitted = parse_time(text_at(facts, "/submitted"));
  run.started = parse_time(text_at(facts, "/started"));
  run.ended = parse_time(text_at(facts, "/ended"));
  run.verdict = text_at(facts, "/verdict/result");
  if (const auto status = int_at(facts, "/verdict/exitStatus")) {
    run.exit_status = static_cast<int>(*status);
  }
  run.message = text_at(facts, "/verdict/message");
  run.saved_logs = text_at(facts, "/savedLogs");
  run.origin.elsewhere = true_at(facts, "/submittedElsewhere");
  run.origin.line = text_at(facts, "/line");
  run.origin.array_values = text_at(facts, "/arrayValues");
  if (facts.contains("metrics")) run.metrics = facts["metrics"];
  return run;
}

void add_later_runs(Json& report, const std::vector<PastRun>& later) {
  for (const PastRun& run : later) {
    Json entry = {{"run", run.number}, {"name", run.name}};
    put_text(entry, "result", run.verdict);
    report["laterRuns"].push_back(std::move(entry));
  }
}

Json run_report(const PastRun& run) {
  Json report = {{"apiVersion", "trainctl/v1"}, {"kind", "RunReport"}, {"run", run.number}};
  report.update(run_facts(run));
  if (run.manifest.is_null()) return report;
  report["images"] = images_of(run.cluster, run.manifest);
  if (Json code = job::code_of(run.manifest); !code.is_null()) report["code"] = std::move(code);
  report["manifest"] = run.manifest;
  return report;
}

Json run_report_list(const std::vector<PastRun>& runs) {
  Json items = Json::array();
  for (const PastRun& run : runs) items.push_back(run_report(run));
  return {{"apiVersion", "trainctl/v1"}, {"kind", "RunReportList"}, {"items", std::move(items)}};
}

std::vector<std::string> images_of(std::string_view cluster, const Json& manifest) {
  std::vector<std::string> images;
  if (cluster != k_embedded_cluster) collect_images(manifest, images);
  return images;
}

namespace {

constexpr std::string_view k_labels = "metadata.labels", k_annotations = "metadata.annotations";

// The names of the runs themselves, and what trainctl writes beside what the user wanted.
bool is_left_out(std::string_view path) {
  const auto is_own = [path](std::string_view map) {
    return path.starts_with(map) && path.substr(map.size()).starts_with(".trainctl/");
  };
  return path == "metadata.name" || path == "metadata.generateName" || is_own(k_labels) ||
         is_own(k_annotations);
}

bool is_plain_list(const Json& value) {
  return value.is_array() &&
         std::ranges::none_of(value, [](const Json& element) { return element.is_structured(); });
}

// The name of an element of a list; "" = it has none.
std::string_view name_in(const Json& element) {
  return view_at(element, "/name");
}

bool has_names(const Json& list) {
  return std::ranges::all_of(list, [](const Json& element) { return !name_in(element).empty(); });
}

// A variable of a container, with its value.
bool is_named_value(const Json& element) {
  return element.is_object() && element.size() == 2 && !name_in(element).empty() &&
         element.contains("value");
}

// The value of a named value; null stays null.
Json value_in(const Json& element) {
  return element.is_null() ? Json() : element["value"];
}

class ManifestComparison {
 public:
  void compare(const std::string& path, const Json& a, const Json& b) {
    if (a == b || is_left_out(path) || is_not_suspended(path, a, b)) return;
    if (a.is_object() && b.is_object()) return objects(path, a, b);
    // A manifest without labels has none of them.
    if (path == k_labels || path == k_annotations) return objects(path, or_empty(a), or_empty(b));
    // A list that one manifest lacks is empty there.
    if (a.is_null() && is_list_of_names(b)) return lists(path, Json::array(), b);
    if (b.is_null() && is_list_of_names(a)) return lists(path, a, Json::array());
    const bool are_lists = a.is_array() && b.is_array();
    if (are_lists && !is_plain_list(a) && !is_plain_list(b)) return lists(path, a, b);
    const bool one_is_missing = a.is_null() || b.is_null();
    if (one_is_missing && is_named_value(a.is_null() ? b : a)) {
      return found_.push_back({path + ".value", value_in(a), value_in(b)});
    }
    found_.push_back({path, a, b});
  }

  std::vector<Difference> found() && { return std::move(found_); }

 private:
  // `resume` and queues write that a job is not suspended, which is what no field says.
  static bool is_not_suspended(std::string_view path, const Json& a, const Json& b) {
    const auto is_off = [](const Json& value) { return value.is_null() || value == false; };
    return path.ends_with(".suspend") && is_off(a) && is_off(b);
  }
  static Json or_empty(const Json& value) { return value.is_object() ? value : Json::object(); }

  static bool is_list_of_names(const Json& value) {
    return value.is_array() && !is_plain_list(value) && has_names(value);
  }

  static const Json& in(const Json& object, const std::string& key) {
    static const Json k_none;
    const auto found = object.find(key);
    return found == object.end() ? k_none : *found;
  }

  void objects(const std::string& path, const Json& a, const Json& b) {
    const std::string prefix = path.empty() ? "" : path + '.';
    for (const auto& [key, value] : a.items()) compare(prefix + key, value, in(b, key));
    for (const auto& [key, value] : b.items()) {
      if (!a.contains(key)) compare(prefix + key, Json(), value);
    }
  }

  static const Json& named(const Json& list, std::string_view name) {
    static const Json k_none;
    const auto found = std::ranges::find_if(
        list, [name](const Json& element) { return name_in(element) == name; });
    return found == list.end() ? k_none : *found;
  }

  void lists(const std::string& path, const Json& a, const Json& b) {
    if (!has_names(a) || !has_names(b)) return lists_in_order(path, a, b);
    for (const Json& element : a) {
      const std::string name(name_in(element));
      compare(cat(path, '[', name, ']'), element, named(b, name));
    }
    for (const Json& element : b) {
      const std::string name(name_in(element));
      if (named(a, name).is_null()) compare(cat(path, '[', name, ']'), Json(), element);
    }
  }

  void lists_in_order(const std::string& path, const Json& a, const Json& b) {
    for (std::size_t at = 0; at < std::max(a.size(), b.size()); ++at) {
      const Json none;
      compare(cat(path, '[', at, ']'), at < a.size() ? a[at] : none, at < b.size() ? b[at] : none);
    }
  }

  std::vector<Difference> found_;
};

}  // namespace

std::vector<Difference> differences(const Json& a, const Json& b) {
  ManifestComparison comparison;
  comparison.compare("", a, b);
  return std::move(comparison).found();
}

std::string value_words(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (!is_plain_list(value)) return dump(value);
  std::vector<std::string> words;
  for (const Json& word : value) {
    words.push_back(word.is_string() ? shell_quoted(word.get_ref<const std::string&>())
                                     : dump(word));
  }
  return join(words, " ");
}

}  // namespace trainctl::work
