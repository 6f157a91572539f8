// Walks the values; the text tells the line of the first that is a placeholder.
#include "job/manifest/placeholder.h"

#include <algorithm>
#include <string>

#include "base/text/text.h"

namespace trainctl::job {

namespace {

// No value of these holds a `$` or `{`.
constexpr std::string_view k_plain_fields[] = {"name", "namespace", "image",         "replicas",
                                               "cpu",  "memory",    "nvidia.com/gpu"};

// The first placeholder; "" = there is none.
std::string placeholder_in(const Json& value) {
  if (!value.is_structured()) return "";
  for (const auto& [key, field] : value.items()) {
    const bool is_plain =
        field.is_string() && std::ranges::find(k_plain_fields, key) != std::end(k_plain_fields);
    std::string text = is_plain ? field.get<std::string>() : placeholder_in(field);
    const bool is_found = !is_plain || text.find('$') != text.npos || text.find("{{") != text.npos;
    if (is_found && !text.empty()) return text;
  }
  return "";
}

}  // namespace

Status check_no_template(std::string_view text, std::string_view file, const Json& job) {
  const std::string value = job.is_null() ? "{{" : placeholder_in(job);
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const std::size_t at = value.empty() ? line.npos : line.find(value);
    const std::string_view before = trim(std::string_view(line).substr(0, at));
    const bool is_whole_value = before.empty() || before.ends_with(':');
    if (at == line.npos || (job.is_null() && !is_whole_value)) continue;
    const std::string shown = job.is_null() ? line.substr(at) : value;
    return Error{
        Code::usage,
        cat(file, ':', number, ": `", printable_line(shown), "` is a placeholder of a template"),
        "render the file first, as in envsubst < FILE | trainctl submit -"};
  }
  return {};
}

}  // namespace trainctl::job
