// Many jobs from one submit line: one for each combination of the values of --array. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "manifest/render.h"

namespace trainctl::job {

// The label with the name of a job's array, and the one with its place in it, from 0.
inline constexpr std::string_view k_label_array = "trainctl/array";
inline constexpr std::string_view k_label_array_index = "trainctl/array-index";
// The annotation with the member's values: "lr=1e-3 seed=2".
inline constexpr std::string_view k_array_values_annotation = "trainctl/array-values";

// No --array-limit allows more.
inline constexpr long k_most_members = 1'000'000;

// The placeholder that one --array varies, with its values.
struct ArrayAxis {
  std::string name;
  std::vector<std::string> values;  // at least one, each once
};

// Parses "lr=1e-3,1e-4" or "seed=1-4"; a range takes both of its ends, and "\\," is a comma within
// a value. Code::usage for anything else, such as a range that goes down.
Result<ArrayAxis> parse_axis(std::string_view text);

// The annotation with the number of jobs in the array.
inline constexpr std::string_view k_array_size_annotation = "trainctl/array-size";

// The words of that annotation on a job: "lr=1e-3 seed=2"; "" = it is of no array. Whoever made the
// job may have written it.
std::string member_values(const Json& job);

// Takes the marks of a member of an array out of a manifest.
void leave_array(Json& manifest);

struct ArrayMember {
  long index = 0;
  std::vector<std::pair<std::string, std::string>> values;  // of each axis, in their order
  long size = 1;                                            // of the array
};

// All combinations; the last axis changes with every member. Code::usage when there are more than
// `limit`, or when two axes have one name.
Result<std::vector<ArrayMember>> array_members(const std::vector<ArrayAxis>& axes, long limit);

// The text with the member's values in place of {lr}, {seed} and {index}. Other braces stay.
std::string filled_in(std::string_view text, const ArrayMember& member);

// The name that the line gives to its jobs, with its placeholders; "" when the server would make
// it.
std::string given_name(const RenderInput& line);

// The array's own name, which its members share as a label: `name` up to the first placeholder.
// Code::usage when nothing is left, or when the rest cannot be a label's value.
Result<std::string> array_name(std::string_view name);

// The line of one member: values filled in in its flags, words and --set, and a name of its own:
// `name` with its placeholders filled in, or with the index behind it when it has none.
RenderInput member_line(const RenderInput& line, const ArrayMember& member, std::string_view name,
                        std::string_view array);

// Code::usage when an axis is used nowhere in the line: its members would be alike.
Status check_axes_used(const RenderInput& line, const std::vector<ArrayAxis>& axes);

}  // namespace trainctl::job
