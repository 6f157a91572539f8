// Files in a map; directories exist as far as files lie in them.
#include <iterator>
#include <set>

#include "base/text/text.h"
#include "support/fakes.h"

namespace trainctl::testing {

namespace {

std::string with_slash(const std::string& directory) {
  return directory.empty() || directory.back() == '/' ? directory : directory + '/';
}

}  // namespace

std::string MemoryFiles::followed(const std::string& path) const {
  std::string real = path;
  for (auto at = links.begin(); at != links.end();) {
    const bool leads_on = real == at->first || real.starts_with(with_slash(at->first));
    if (leads_on) real = at->second + real.substr(at->first.size());
    at = leads_on ? links.begin() : std::next(at);
  }
  return real;
}

Result<std::string> MemoryFiles::read(const std::string& path) {
  if (const auto found = files.find(followed(path)); found != files.end()) {
    std::string content = found->second;
    if (on_read) on_read(path);
    return content;
  }
  if (exists(path)) return Error{Code::usage, cat("cannot read ", path, ": it is a directory"), ""};
  return Error{Code::not_found, cat("cannot read ", path, ": No such file or directory"), ""};
}

std::optional<OpenedFile> MemoryFiles::open_once(const std::string& path) {
  const auto opened = facts(path);
  if (!opened) return std::nullopt;
  if (!opened->is_regular) return OpenedFile{*opened};
  return OpenedFile{*opened, read(path)};
}

Status MemoryFiles::write(const std::string& path, std::string_view content, Readers readers) {
  if (!write_fails_with.empty()) {
    return Error{Code::error, cat("cannot write ", path, ": ", write_fails_with), ""};
  }
  const bool is_new = files.count(path) == 0;
  files[path] = content;
  if (readers == Readers::owner || (is_new && readers == Readers::owner_if_new)) {
    private_files.insert(path);
  }
  return {};
}

Status MemoryFiles::append(const std::string& path, std::string_view content) {
  const auto found = files.find(path);
  return write(path, cat(found == files.end() ? "" : found->second, content));
}

Status MemoryFiles::check_writable(const std::string& path) {
  const auto failure = [&path](std::string_view why) {
    return Error{Code::error, cat("cannot write ", path, ": ", why), ""};
  };
  if (path.starts_with("/proc/")) return failure("No such file or directory");
  if (files.count(directory_of(path)) > 0) return failure("Not a directory");
  return {};
}

bool MemoryFiles::exists(const std::string& given) {
  const std::string path = followed(given);
  if (files.count(path) > 0) return true;
  const std::string inside = with_slash(path);
  const auto next = files.lower_bound(inside);
  return next != files.end() && next->first.compare(0, inside.size(), inside) == 0;
}

std::optional<FileFacts> MemoryFiles::facts(const std::string& path) {
  const std::string real = followed(path);
  const auto odd = odd_facts.find(real);
  if (odd == odd_facts.end() && !exists(real)) return std::nullopt;
  const auto file = files.find(real);
  FileFacts facts = odd == odd_facts.end() ? FileFacts{} : odd->second;
  facts.is_regular = facts.is_regular && (file != files.end() || !exists(real));
  facts.real_path = real;
  facts.size = file == files.end() ? 0 : file->second.size();
  return facts;
}

std::optional<FileNode> MemoryFiles::node(const std::string& path) {
  using Kind = FileNode::Kind;
  if (const auto link = links.find(path); link != links.end()) {
    return FileNode{.kind = Kind::link, .target = link->second};
  }
  const auto odd = odd_facts.find(path);
  if (odd != odd_facts.end() && !odd->second.is_regular) return FileNode{};
  const auto file = files.find(path);
  if (file == files.end()) {
    if (!exists(path)) return std::nullopt;
    return FileNode{.kind = Kind::directory};
  }
  return FileNode{.kind = Kind::file, .size = file->second.size(), .stamp = file->second};
}

std::optional<ReadNode> MemoryFiles::read_below(const std::string& directory,
                                                const std::string& path) {
  const std::string place = resolve_path(directory, path);
  if (followed(place) != place) return std::nullopt;
  Result<std::string> content = read(place);
  const auto after = node(place);
  if (!after) return std::nullopt;
  return ReadNode{*after, std::move(content)};
}

std::vector<std::string> MemoryFiles::list(const std::string& directory) {
  const std::string inside = with_slash(directory);
  std::set<std::string> names;
  for (const auto& [path, content] : files) {
    if (path.compare(0, inside.size(), inside) != 0) continue;
    names.insert(split_once(std::string_view(path).substr(inside.size()), '/').first);
  }
  for (const auto& [path, target] : links) {
    if (with_slash(directory_of(path)) == inside) names.insert(path.substr(inside.size()));
  }
  return {names.begin(), names.end()};
}

}  // namespace trainctl::testing
