// Builds the rows of a Table: the cells that each kind shows.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/text/time.h"
#include "base/value/json.h"

namespace trainctl::local {

struct Column {
  std::string_view name;
  std::string_view type = "string";
  std::string_view format = "";
  int priority = 0;  // 1: kubectl shows it with -o wide only
  std::string_view description = "";
};

inline constexpr Column k_name_column{.name = "Name", .format = "name"};

// The columns and cells of the rows for one kind's objects.
struct RowView {
  std::span<const Column> columns;
  Json (*cells)(const Json& object, Time now);
  Json (*conditions)(const Json& object) = nullptr;  // conditions of the row; null = none
};

RowView pod_rows();
// The rows of a core kind, by its plural; other kinds have a name and an age.
RowView core_rows(std::string_view plural);

// The text at pointer, or `fallback` when it is absent or empty.
std::string text_or(const Json& object, std::string_view pointer, std::string_view fallback);

// The age of the time at pointer, as "12s"; "<unknown>" when there is none.
std::string age_at(const Json& object, std::string_view pointer, Time now);
std::string age_of(const Json& object, Time now);

}  // namespace trainctl::local
