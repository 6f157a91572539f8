// A golden case as one file of sections, in the manner of Go's txtar; README.md lists the sections.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace trainctl::testing {

class CaseFile {
 public:
  // Refuses sections that no case has, and those that come twice.
  static Result<CaseFile> read(std::string_view text);

  bool has(std::string_view name) const;
  // The content of a section, "" when it is absent.
  std::string text(std::string_view name) const;
  // The sections `folder/PATH`, by PATH.
  std::map<std::string, std::string> below(std::string_view folder) const;

  // Sets a section in its place among the others.
  void set(std::string_view name, std::string content);
  void remove(std::string_view name);
  // Replaces all sections below a folder.
  void set_below(std::string_view folder, const std::map<std::string, std::string>& files);

  // The text that reads as this file. Refuses a content with a line that would begin a section.
  Result<std::string> print() const;

 private:
  struct Section {
    std::string name, content;
  };

  std::string comment_;  // what precedes the first section
  std::vector<Section> sections_;
};

}  // namespace trainctl::testing
