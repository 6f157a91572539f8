// Parses axes, multiplies them, and fills placeholders.
#include "manifest/array.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "kube/object/names.h"
#include "manifest/manifest.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_index = "index";

Error bad_axis(std::string_view text, std::string_view why) {
  return {Code::usage, cat("--array ", text, ": ", why),
          "as in --array lr=1e-3,1e-4 --array seed=1-4"};
}

bool is_axis_name(std::string_view name) {
  const auto is_part = [](char c) { return is_letter_or_digit(c) || c == '_'; };
  return !name.empty() && std::ranges::all_of(name, is_part) && name != k_index;
}

bool is_whole_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The values of "3-7" or, with the zeros that were typed, of "08-12".
Status add_range(std::string_view argument, std::string_view value,
                 std::vector<std::string>& values) {
  const auto [first, last, found] = split_once(value, '-');
  const auto from = parse_number<long>(first), to = parse_number<long>(last);
  const bool is_too_long = !from || !to || *to - *from >= k_most_members;
  if (from && to && *to < *from) {
    return bad_axis(argument, cat("the range ", value, " counts down; write ", last, '-', first,
                                  ", or for this text ", first, "\\-", last));
  }
  if (is_too_long) return bad_axis(argument, cat("the range ", value, " is too long"));
  const std::size_t width = first.starts_with('0') ? first.size() : 1;
  for (long i = *from; i <= *to; ++i) {
    const std::string number = std::to_string(i);
    values.push_back(std::string(width - std::min(width, number.size()), '0') + number);
  }
  return {};
}

bool is_range(std::string_view value) {
  const auto [first, last, found] = split_once(value, '-');
  return found && is_whole_number(first) && is_whole_number(last);
}

// Splits at commas; "\\," is a comma within a value. Leaves "\\-", which keeps a value from being a
// range.
std::vector<std::string> values_in(std::string_view list) {
  std::vector<std::string> values(1);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool is_quoted = list[i] == '\\' && i + 1 < list.size() && list[i + 1] == ',';
    if (is_quoted) {
      values.back() += list[++i];
    } else if (list[i] == ',') {
      values.emplace_back();
    } else {
      values.back() += list[i];
    }
  }
  return values;
}

std::string with_dashes(std::string value) {
  for (auto at = value.find("\\-"); at != std::string::npos; at = value.find("\\-", at)) {
    value.erase(at, 1);
  }
  return value;
}

std::string placeholder(std::string_view axis) {
  return cat('{', axis, '}');
}

std::vector<std::string> texts_of_line(const RenderInput& line) {
  std::vector<std::string> texts = line.words;
  for (const FlagUse& use : line.flags) {
    texts.insert(texts.end(), use.values.begin(), use.values.end());
  }
  texts.insert(texts.end(), line.set.begin(), line.set.end());
  return texts;
}

bool names_the_job(const FlagUse& use) {
  return use.flag->name == "name" || use.flag->name == "job-name-prefix";
}

void fill_in(std::vector<std::string>& texts, const ArrayMember& member) {
  for (std::string& text : texts) text = filled_in(text, member);
}

// "1e-3..1e-1" would be one value, which nobody means.
bool is_range_of_dots(std::string_view value) {
  const auto is_part = [](char c) {
    return is_digit(c) || std::string_view("+-.eE").find(c) != std::string_view::npos;
  };
  return value.find("..") != std::string_view::npos && std::ranges::all_of(value, is_part) &&
         is_digit(value.front()) && is_digit(value.back());
}

}  // namespace

Result<ArrayAxis> parse_axis(std::string_view text) {
  const auto [name, values, found] = split_once(text, '=');
  if (!found) return bad_axis(text, "the values are missing");
  if (name == k_index) return bad_axis(text, "{index} already stands for the job's number");
  if (!is_axis_name(name))
    return bad_axis(text, cat("`", name, "` is not a name: use letters, digits and _"));
  ArrayAxis axis{name, {}};
  for (const std::string& value : values_in(values)) {
    if (value.empty()) return bad_axis(text, "a value is empty");
    if (is_range_of_dots(value)) {
      return bad_axis(text, cat(value,
                                " is no range; write 1-8 for whole numbers, or the values: "
                                "1e-3,1e-2"));
    }
    if (is_range(value)) {
      TRY(add_range(text, value, axis.values));
    } else {
      axis.values.push_back(with_dashes(value));
    }
  }
  std::set<std::string_view> seen;
  for (const std::string& value : axis.values) {
    if (!seen.insert(value).second) return bad_axis(text, cat("`", value, "` is given twice"));
  }
  return axis;
}

Result<std::vector<ArrayMember>> array_members(const std::vector<ArrayAxis>& axes, long limit) {
  long count = 1;
  limit = std::min(limit, k_most_members);
  std::set<std::string_view> names;
  for (const ArrayAxis& axis : axes) {
    if (!names.insert(axis.name).second) {
      return Error{Code::usage, cat("--array: ", axis.name, " is given twice"),
                   cat("give its values once: --array ", axis.name, "=1,2,3")};
    }
    count *= static_cast<long>(axis.values.size());
    if (count <= limit) continue;
    return Error{Code::usage,
                 cat("--array: more than ", limit, " jobs (", axis.name, " has ",
                     axis.values.size(), " values)"),
                 "give fewer values, or raise the limit: --array-limit 10000\n"
                 "to run a few at a time: --max-parallel 4"};
  }
  std::vector<ArrayMember> members(static_cast<std::size_t>(count));
  for (long i = 0; i < count; ++i) {
    ArrayMember& member = members[static_cast<std::size_t>(i)];
    member.index = i;
    member.size = count;
    long rest = i;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      const auto size = static_cast<long>(axis->values.size());
      member.values.emplace_back(axis->name, axis->values[static_cast<std::size_t>(rest % size)]);
      rest /= size;
    }
    std::ranges::reverse(member.values);
  }
  return members;
}

std::string member_values(const Json& job) {
  return text_at(job, kube::annotation_pointer(k_array_values_annotation));
}

void leave_array(Json& manifest) {
  for (const char* const marks : {"/metadata/labels", "/metadata/annotations"}) {
    Json* const found = find_in(manifest, marks);
    if (found == nullptr || !found->is_object()) continue;
    for (const std::string_view mark :
         {k_label_array, k_label_array_index, k_array_values_annotation, k_array_size_annotation}) {
      found->erase(std::string(mark));
    }
  }
}

std::string filled_in(std::string_view text, const ArrayMember& member) {
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const auto value = std::ranges::find_if(
        member.values, [&](const auto& pair) { return rest.starts_with(placeholder(pair.first)); });
    if (value != member.values.end()) {
      filled += value->second;
      at += placeholder(value->first).size();
    } else if (rest.starts_with(placeholder(k_index))) {
      filled += std::to_string(member.index);
      at += placeholder(k_index).size();
    } else {
      filled += text[at++];
    }
  }
  return filled;
}

std::string given_name(const RenderInput& line) {
  const auto use =
      std::ranges::find_if(line.flags, [](const FlagUse& one) { return one.flag->name == "name"; });
  if (use != line.flags.end()) return use->values.back();
  std::string name = text_at(line.manifest, "/metadata/name");
  for (const Json& overlay : line.overlays) name = text_at(overlay, "/metadata/name", name);
  return name;
}

Result<std::string> array_name(std::string_view name) {
  std::string_view own = name.substr(0, name.find('{'));
  while (own.ends_with('-') || own.ends_with('.')) own.remove_suffix(1);
  if (own.empty()) {
    return Error{Code::usage, cat("--name ", name, ": an array needs a name of its own"),
                 "begin with a fixed text: --name sweep-{index}"};
  }
  const bool fits = own.size() <= kube::k_name_part.longest && kube::k_name_part.is_form_of(own);
  if (fits) return std::string(own);
  return Error{Code::usage, cat("--name ", name, ": `", own, "` cannot be the label of an array"),
               "use a shorter name of lower-case letters, digits and -: --name sweep"};
}

RenderInput member_line(const RenderInput& line, const ArrayMember& member, std::string_view name,
                        std::string_view array) {
  RenderInput own = line;
  std::erase_if(own.flags, names_the_job);
  for (FlagUse& use : own.flags) fill_in(use.values, member);
  fill_in(own.words, member);
  fill_in(own.set, member);
  std::string own_name = filled_in(name, member);
  if (own_name == name) own_name += cat('-', member.index);
  std::vector<std::string> values;
  for (const auto& [axis, value] : member.values) values.push_back(cat(axis, '=', value));
  Json metadata = {{"name", own_name}, {"generateName", nullptr}};
  metadata["labels"] = {{std::string(k_label_array), std::string(array)},
                        {std::string(k_label_array_index), std::to_string(member.index)}};
  metadata["annotations"] = {{std::string(k_array_values_annotation), join(values, " ")},
                             {std::string(k_array_size_annotation), std::to_string(member.size)}};
  own.overlays.push_back({{"metadata", std::move(metadata)}});
  return own;
}

Status check_axes_used(const RenderInput& line, const std::vector<ArrayAxis>& axes) {
  const auto texts = texts_of_line(line);
  for (const ArrayAxis& axis : axes) {
    const bool is_used = std::ranges::any_of(texts, [&axis](const std::string& text) {
      return text.find(placeholder(axis.name)) != std::string::npos;
    });
    if (is_used) continue;
    return Error{Code::usage,
                 cat("--array: no argument or flag has {", axis.name, "}: all jobs would be alike"),
                 cat("write {", axis.name, "} where its value belongs: -- --", axis.name, " {",
                     axis.name, "}")};
  }
  return {};
}

}  // namespace trainctl::job
