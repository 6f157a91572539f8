// Reads and prints the sections of a golden case.
#include "support/case_file.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "base/text/text.h"

namespace trainctl::testing {
namespace {

// In the order in which a case shows them; a name with a slash is a folder of files.
constexpr std::array<std::string_view, 21> k_names = {
    "needs",      "cmd",     "refusals", "env",   "tty",      "stdin",       "signal",
    "kubeconfig", "history", "files/",   "root/", "disk/",    "world",       "server",
    "server/",    "stdout",  "stderr",   "exit",  "written/", "disk-after/", "history-after"};

constexpr std::string_view k_no_newline = " (no newline)";

// The place of a section in k_names, or its size for a section that no case has.
std::size_t rank(std::string_view name) {
  const auto fits = [name](std::string_view known) {
    return known.ends_with('/') ? name.starts_with(known) && name != known : name == known;
  };
  return std::find_if(k_names.begin(), k_names.end(), fits) - k_names.begin();
}

// The words between the dashes of `-- NAME --`.
std::optional<std::string_view> marked(std::string_view line) {
  if (line.size() < 7 || !line.starts_with("-- ") || !line.ends_with(" --")) return std::nullopt;
  return line.substr(3, line.size() - 6);
}

Error bad(std::string_view what) {
  return Error{Code::usage, std::string(what), ""};
}

// Calls back with each line, without its newline.
template <typename Callback>
void each_line(std::string_view text, const Callback& callback) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    callback(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

Result<CaseFile> CaseFile::read(std::string_view text) {
  CaseFile file;
  std::vector<bool> newline;
  std::string wrong;
  each_line(text, [&](std::string_view line) {
    auto name = marked(line);
    if (!name) {
      std::string& content = file.sections_.empty() ? file.comment_ : file.sections_.back().content;
      content.append(line).append("\n");
      return;
    }
    newline.push_back(!name->ends_with(k_no_newline));
    if (!newline.back()) name->remove_suffix(k_no_newline.size());
    if (rank(*name) == k_names.size()) wrong = cat("no case has a section '", *name, "'");
    if (file.has(*name)) wrong = cat("two sections are called '", *name, "'");
    file.sections_.push_back({std::string(*name), ""});
  });
  if (!wrong.empty()) return bad(wrong);
  for (std::size_t i = 0; i < newline.size(); ++i) {
    std::string& content = file.sections_[i].content;
    if (!newline[i] && !content.empty()) content.pop_back();
  }
  return file;
}

bool CaseFile::has(std::string_view name) const {
  return std::any_of(sections_.begin(), sections_.end(),
                     [name](const Section& one) { return one.name == name; });
}

std::string CaseFile::text(std::string_view name) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(),
                                  [name](const Section& one) { return one.name == name; });
  return found == sections_.end() ? "" : found->content;
}

std::map<std::string, std::string> CaseFile::below(std::string_view folder) const {
  const std::string start = cat(folder, '/');
  std::map<std::string, std::string> files;
  for (const Section& one : sections_) {
    if (one.name.starts_with(start)) files[one.name.substr(start.size())] = one.content;
  }
  return files;
}

void CaseFile::set(std::string_view name, std::string content) {
  const auto is_behind = [name](const Section& one) {
    return std::pair(rank(one.name), std::string_view(one.name)) > std::pair(rank(name), name);
  };
  for (Section& one : sections_) {
    if (one.name != name) continue;
    one.content = std::move(content);
    return;
  }
  sections_.insert(std::find_if(sections_.begin(), sections_.end(), is_behind),
                   {std::string(name), std::move(content)});
}

void CaseFile::remove(std::string_view name) {
  std::erase_if(sections_, [name](const Section& one) { return one.name == name; });
}

void CaseFile::set_below(std::string_view folder, const std::map<std::string, std::string>& files) {
  for (const auto& [path, content] : below(folder)) {
    if (!files.contains(path)) remove(cat(folder, '/', path));
  }
  for (const auto& [path, content] : files) set(cat(folder, '/', path), content);
}

Result<std::string> CaseFile::print() const {
  std::string text = comment_;
  std::string wrong;
  for (const Section& one : sections_) {
    const bool ends_open = !one.content.empty() && !one.content.ends_with('\n');
    text += cat("-- ", one.name, ends_open ? k_no_newline : "", " --\n", one.content,
                ends_open ? "\n" : "");
    each_line(one.content, [&](std::string_view line) {
      if (marked(line)) wrong = cat(one.name, " has the line '", line, "', which begins a section");
    });
  }
  if (!wrong.empty()) return bad(wrong);
  return text;
}

}  // namespace trainctl::testing
