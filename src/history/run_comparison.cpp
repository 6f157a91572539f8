// Paths of a manifest are long and equal but for their ends: a reader knows a field by its end.
#include "history/run_comparison.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/kind/kind.h"
#include "manifest/rerun.h"

namespace trainctl::view {
namespace {

constexpr std::string_view k_metrics = "metrics.";
constexpr std::string_view k_arrow = " → ";

bool drop_front(std::string_view& text, std::string_view front) {
  if (!text.starts_with(front)) return false;
  text.remove_prefix(front.size());
  return true;
}

// A field of the manifest, and the role whose pods have it ("" = of the whole job).
struct Place {
  std::string role, field;
};

std::string dotted(std::string_view pointer) {
  std::string path(pointer.substr(std::min<std::size_t>(1, pointer.size())));
  std::ranges::replace(path, '/', '.');
  return path;
}

// "sidecar image" of another container than the one that trains, "env SEED" of a variable.
std::string field_name(std::string_view path, std::string_view container) {
  drop_front(path, "template.");
  std::string owner;
  if (drop_front(path, "spec.containers[")) {
    const auto end = std::min(path.find(']'), path.size());
    if (path.substr(0, end) != container) owner = cat(path.substr(0, end), ' ');
    path.remove_prefix(end);
    if (!drop_front(path, "].")) drop_front(path, "]");
  }
  constexpr std::string_view k_value = "].value";
  if (path.starts_with("env[") && path.ends_with(k_value)) {
    const std::string_view name = path.substr(4, path.size() - 4 - k_value.size());
    return cat(owner, "env ", name);
  }
  return owner + std::string(path);
}

Place place_of(std::string_view path, const job::Kind* kind) {
  if (kind == nullptr || kind->replica_specs.empty()) return {"", std::string(path)};
  std::string_view rest = path;
  if (!drop_front(rest, dotted(kind->replica_specs) + '.')) return {"", std::string(path)};
  const auto end = std::min(rest.find('.'), rest.size());
  const std::string role = lower(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return {role, field_name(rest, kind->container)};
}

std::set<std::string> roles_in(const work::PastRun& run, const job::Kind* kind) {
  std::set<std::string> roles;
  if (kind == nullptr || kind->replica_specs.empty()) return roles;
  for (const auto& [role, spec] : object_at(run.manifest, kind->replica_specs).items()) {
    roles.insert(lower(role));
  }
  return roles;
}

// A flag with its values as a shell takes them; "" = words before the first flag.
struct FlagWords {
  std::string flag, values;
  bool is_there = true;
};

bool is_flag(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && !is_digit(word[1]) && word[1] != '.';
}

void add_word(std::vector<FlagWords>& flags, const std::string& flag, const std::string& values) {
  auto found = std::ranges::find(flags, flag, &FlagWords::flag);
  if (found == flags.end()) found = flags.insert(flags.end(), FlagWords{flag, ""});
  if (values.empty()) return;
  found->values += cat(found->values.empty() ? "" : " ", values);
}

std::vector<FlagWords> flags_in(const Json& words) {
  std::vector<FlagWords> flags;
  std::string flag;
  for (const Json& one : words) {
    const std::string word = one.is_string() ? one.get<std::string>() : dump(one);
    if (!is_flag(word)) {
      add_word(flags, flag, shell_quoted(word));
      continue;
    }
    const Halves halves = split_once(word, '=');
    flag = halves.first;
    add_word(flags, flag, halves.found ? shell_quoted(halves.second) : "");
  }
  return flags;
}

bool are_words(const Json& value) {
  return value.is_null() || (value.is_array() && std::ranges::none_of(value, [](const Json& word) {
                               return word.is_structured();
                             }));
}

FlagWords flag_of(const std::vector<FlagWords>& flags, const std::string& name) {
  const auto found = std::ranges::find(flags, name, &FlagWords::flag);
  return found == flags.end() ? FlagWords{name, "", false} : *found;
}

std::string whole(const FlagWords& one) {
  if (!one.is_there) return "";
  return cat(one.flag, one.flag.empty() || one.values.empty() ? "" : " ", one.values);
}

// "args: --lr" where both runs give the flag a value, else "args:" and the flag with its value.
DifferenceLine flag_line(const std::string& label, const FlagWords& a, const FlagWords& b) {
  if (a.flag.empty() || a.values.empty() || b.values.empty()) {
    return {label + ':', whole(a), whole(b)};
  }
  return {cat(label, ": ", a.flag), a.values, b.values};
}

std::vector<DifferenceLine> word_lines(const std::string& label, const Json& a, const Json& b) {
  const std::vector<FlagWords> of_a = flags_in(a);
  const std::vector<FlagWords> of_b = flags_in(b);
  std::vector<DifferenceLine> lines;
  const auto compare = [&](const std::string& name) {
    const FlagWords in_a = flag_of(of_a, name);
    const FlagWords in_b = flag_of(of_b, name);
    if (in_a.is_there == in_b.is_there && in_a.values == in_b.values) return;
    lines.push_back(flag_line(label, in_a, in_b));
  };
  for (const FlagWords& one : of_a) compare(one.flag);
  for (const FlagWords& one : of_b) {
    if (!flag_of(of_a, one.flag).is_there) compare(one.flag);
  }
  // The same flags in another order.
  if (lines.empty()) lines.push_back({label + ':', work::value_words(a), work::value_words(b)});
  return lines;
}

// An object that one of the runs lacks, field by field. A role is told by its number of replicas.
std::vector<DifferenceLine> field_lines(const std::string& label, const work::Difference& one) {
  const bool is_in_b = one.b.is_object();
  std::vector<DifferenceLine> lines;
  const auto add = [&](const std::string& name, const Json& value) {
    const std::string words = work::value_words(value);
    lines.push_back({cat(name, ':'), is_in_b ? "" : words, is_in_b ? words : ""});
  };
  const Json& object = is_in_b ? one.b : one.a;
  if (object.contains("template")) {
    add(cat(label, "replicas"), object.value("replicas", Json(1)));
    return lines;
  }
  const Json fields = object.flatten();
  for (const auto& [path, value] : fields.items()) {
    add(cat(label, '.', dotted(path)), value);
  }
  return lines;
}

std::vector<DifferenceLine> lines_of(const std::string& label, const work::Difference& one) {
  const bool is_list = one.a.is_array() || one.b.is_array();
  if (is_list && are_words(one.a) && are_words(one.b)) return word_lines(label, one.a, one.b);
  if (one.a.is_object() || one.b.is_object()) return field_lines(label, one);
  return {{label + ':', work::value_words(one.a), work::value_words(one.b)}};
}

// The end of a curve; its best value is named where the ends are equal.
DifferenceLine metric_line(const work::Difference& one) {
  const auto end_of = [](const Json& words) {
    std::string text = work::value_words(words);
    const auto best = text.find(" (best ");
    if (best != std::string::npos) text.erase(best, text.find(')', best) + 1 - best);
    return text;
  };
  const std::string name = one.path.substr(k_metrics.size());
  if (end_of(one.a) == end_of(one.b)) {
    return {name, work::value_words(one.a), work::value_words(one.b)};
  }
  return {name, end_of(one.a), end_of(one.b)};
}

// A field's difference, with the roles that share it.
struct Shared {
  Place place;
  work::Difference difference;
  std::set<std::string> roles;
};

void add_shared(std::vector<Shared>& all, Place place, const work::Difference& one) {
  const auto same = std::ranges::find_if(all, [&](const Shared& other) {
    return other.place.field == place.field && !other.place.role.empty() && !place.role.empty() &&
           other.difference.a == one.a && other.difference.b == one.b;
  });
  if (same != all.end()) {
    same->roles.insert(place.role);
    return;
  }
  const std::string role = place.role;
  all.push_back({std::move(place), one, {role}});
}

std::string label_of(const Shared& one, const std::set<std::string>& roles) {
  const bool is_everywhere = one.roles == roles && one.place.field != "replicas";
  if (one.place.role.empty() || is_everywhere) return one.place.field;
  const std::vector<std::string> names(one.roles.begin(), one.roles.end());
  return cat(join(names, " and "), ' ', one.place.field);
}

std::string title_of(const work::PastRun& run) {
  return cat(printable_line(run.name), " (run ", run.number, ')');
}

// The uid of the job that it repeats.
std::string rerun_of(const work::PastRun& run) {
  return text_at(run.manifest, kube::annotation_pointer(job::k_rerun_uid_annotation));
}

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Leaves out what two long values share at their beginning and their end, but for some context.
void keep_difference(std::string& a, std::string& b) {
  constexpr std::size_t k_context = 12;
  const auto mismatch = [&](auto from_a, auto end_a, auto from_b, auto end_b) {
    return static_cast<std::size_t>(std::mismatch(from_a, end_a, from_b, end_b).first - from_a);
  };
  const std::size_t front = mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (front > k_context) {
    std::size_t cut = front - k_context;
    while (cut > 0 && continues_character(a[cut])) --cut;
    for (std::string* text : {&a, &b}) text->replace(0, cut, "…");
  }
  const std::size_t back = mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  if (back <= k_context) return;
  std::size_t cut = back - k_context;
  while (cut > 0 && continues_character(a[a.size() - cut])) --cut;
  for (std::string* text : {&a, &b}) text->replace(text->size() - cut, cut, "…");
}

std::string fitted_line(const DifferenceLine& line, int width) {
  constexpr int k_arrow_width = 3;
  const auto shown = [](const std::string& value) {
    return value.empty() ? "-" : printable_line(value);
  };
  std::string label = printable_line(line.label);
  std::string a = shown(line.a);
  std::string b = shown(line.b);
  const auto needed = [&] {
    return display_width(label) + 1 + display_width(a) + k_arrow_width + display_width(b);
  };
  if (width > 0 && needed() > width) {
    label = shortened_middle(label, width / 2);
    keep_difference(a, b);
    const int left = std::max(width - display_width(label) - 1 - k_arrow_width, 2);
    const int half = left / 2;
    const int for_a = std::max(half, left - display_width(b));
    a = shortened_middle(a, for_a);
    b = shortened_middle(b, left - display_width(a));
  }
  return cat(label, ' ', a, k_arrow, b, '\n');
}

}  // namespace

std::vector<DifferenceLine> difference_lines(const work::PastRun& a, const work::PastRun& b,
                                             const std::vector<work::Difference>& found) {
  const job::Kind* const kind = a.manifest.is_null() ? nullptr : job::kind_of(a.manifest);
  std::set<std::string> roles = roles_in(a, kind);
  roles.merge(roles_in(b, kind));
  std::vector<Shared> shared;
  std::vector<DifferenceLine> ends;
  for (const work::Difference& one : found) {
    if (one.path.starts_with(k_metrics)) {
      ends.push_back(metric_line(one));
    } else {
      add_shared(shared, place_of(one.path, kind), one);
    }
  }
  std::vector<DifferenceLine> lines;
  for (const Shared& one : shared) {
    std::ranges::move(lines_of(label_of(one, roles), one.difference), std::back_inserter(lines));
  }
  std::ranges::move(ends, std::back_inserter(lines));
  return lines;
}

std::string comparison_text(const work::PastRun& a, const work::PastRun& b,
                            const std::vector<work::Difference>& found, const Console& console) {
  const int width = console.out_is_tty ? console.width : 0;
  const bool is_rerun = !a.uid.empty() && rerun_of(b) == a.uid;
  const std::string title = cat(title_of(a), k_arrow, title_of(b),
                                is_rerun ? cat(", rerun of ", printable_line(a.name)) : "");
  std::string text = cat(width > 0 ? shortened(title, width) : title, '\n');
  for (const DifferenceLine& line : difference_lines(a, b, found)) {
    text += fitted_line(line, width);
  }
  return text;
}

}  // namespace trainctl::view
