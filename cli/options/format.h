// The formats of -o. Each command has a table of those that it prints.
#pragma once

#include "base/text/words.h"

namespace trainctl::cli {

enum class Format {
  text,      // no -o: a table, sentences, lines
  wide,      // a table with more columns
  json,      // a report
  yaml,      // the same
  name,      // KIND/NAME, as kubectl takes it
  manifest,  // the bare object
};

inline constexpr Word<Format> k_all_formats[] = {
    {"text", Format::text}, {"wide", Format::wide}, {"json", Format::json},
    {"yaml", Format::yaml}, {"name", Format::name}, {"manifest", Format::manifest}};
inline constexpr Word<Format> k_json_alone[] = {{"json", Format::json}};
inline constexpr Word<Format> k_data_formats[] = {{"json", Format::json}, {"yaml", Format::yaml}};
inline constexpr Word<Format> k_report_formats[] = {
    {"json", Format::json}, {"yaml", Format::yaml}, {"name", Format::name}};
inline constexpr Word<Format> k_job_formats[] = {{"json", Format::json},
                                                 {"yaml", Format::yaml},
                                                 {"name", Format::name},
                                                 {"manifest", Format::manifest}};

}  // namespace trainctl::cli
