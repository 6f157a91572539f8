// The tools that an agent can call, a row each: its schema, and the line of trainctl that its
// arguments become.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"

namespace trainctl::cli::mcp {

// How a value is checked. No value can begin a flag or name a file.
enum class FieldType {
  job,      // the name of a job, or KIND/NAME
  replica,  // the same, or JOB/REPLICA
  run,      // the number of a run, or a job's name
  phase,
  time,
  pattern,  // a regular expression
  toggle,
  lines,  // a number of lines
  runs,   // a number of runs
  seconds,
  submit,  // the words of a submit line
};

struct ToolField {
  std::string_view name;
  FieldType type;
  std::string_view help;
  bool required = false;
};

enum class ToolEffect { reads, submits, destroys };

using ToolLine = std::vector<std::string>;

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  ToolEffect effect;
  std::vector<ToolField> fields;
  ToolLine (*line)(const Json& arguments);  // from checked arguments
};

std::span<const Tool> tools();
// Returns the tool of that name; nullptr when there is none. Tools that change something exist only
// with `changes`.
const Tool* find_tool(std::string_view name, bool changes);
// The list that describes the tools to a client.
Json tool_list(bool changes);
// Code::usage for an argument that is missing, unknown, or of another type.
Status check_arguments(const Tool& tool, const Json& arguments);
// Inserts flags behind the command of a line, before its arguments.
ToolLine with_flags(ToolLine line, const ToolLine& flags);

// A number argument, or what it is when absent.
long number_argument(const Json& arguments, std::string_view name, long otherwise);

inline constexpr long k_default_lines = 100;
inline constexpr long k_most_lines_read = 10'000;
inline constexpr long k_default_wait = 60;
inline constexpr long k_longest_wait = 600;

}  // namespace trainctl::cli::mcp
