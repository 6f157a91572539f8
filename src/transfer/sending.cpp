// A directory as the tar archive that the container's tar unpacks.
#include "transfer/sending.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/file/sha256.h"
#include "base/text/text.h"
#include "transfer/local_entries.h"

namespace trainctl::work {

namespace {

constexpr std::string_view k_make_directory = "[ -d \"$1\" ] || mkdir \"$1\"";
constexpr std::string_view k_unpack = "cd \"$1\" && tar xof -";
constexpr std::string_view k_sizes = "cd \"$1\" && find . -type f -exec stat -c '%s %Y %n' '{}' +";

class DirectorySending {
 public:
  DirectorySending(Copying& copying, const Sending& sending)
      : copying_(copying), sending_(sending), facts_(sending.facts), to_(as_argument(sending.to)) {}

  Status run();

 private:
  Status attempt();
  Status send(TarWriter& tar, const TarEntry& entry);
  Result<std::unordered_map<std::string, std::string>> files_there();
  Status skip_complete();
  Status verify();
  bool can_list() const { return facts_.has("find") && facts_.has("stat"); }

  Copying& copying_;
  const Sending& sending_;
  const RemoteFacts& facts_;
  std::string to_;
  std::vector<TarEntry> entries_;
  std::vector<bool> complete_;
  std::size_t sent_ = 0;  // entries that an attempt has written
};

std::string facts_line(const TarEntry& entry) {
  return cat(std::get<TarFile>(entry.what).size, ' ', entry.modified);
}

Status DirectorySending::run() {
  TRY_ASSIGN(entries_,
             local_entries(sending_.local, [this](const Error& why) { copying_.leave_out(why); }));
  complete_.resize(entries_.size());
  std::uint64_t total = 0;
  for (const TarEntry& entry : entries_) {
    if (const auto* file = std::get_if<TarFile>(&entry.what)) total += file->size;
  }
  copying_.expect(total);
  TRY(copying_.answer(k_make_directory, {to_}));
  while (true) {
    const Status status = attempt();
    if (status) return verify();
    TRY(copying_.wait_after(status.error()));
    if (can_list()) TRY(skip_complete());
  }
}

Status DirectorySending::attempt() {
  Script script(copying_.shell(), k_unpack, {to_}, true);
  TRY_ASSIGN(TarWriter tar,
             TarWriter::open(TarWriter::Compression::none,
                             [&script](std::string_view bytes) { return script.write(bytes); }));
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (complete_[i]) before += std::get<TarFile>(entries_[i].what).size;
  }
  copying_.at(before);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!complete_[i]) TRY(send(tar, entries_[i]));
    sent_ = std::max(sent_, i);
  }
  TRY(tar.finish());
  script.end_input();
  TRY(script.finish());
  return {};
}

Status DirectorySending::send(TarWriter& tar, const TarEntry& entry) {
  TRY(tar.begin(entry));
  const auto* expected = std::get_if<TarFile>(&entry.what);
  if (expected == nullptr || expected->size == 0) return {};
  TRY_ASSIGN(LocalFile file, LocalFile::open(cat(sending_.local, '/', entry.path)));
  for (std::uint64_t at = 0; at < expected->size;) {
    TRY_ASSIGN(std::string_view piece, file.read(at));
    piece = piece.substr(0, expected->size - at);
    if (piece.empty()) return changed_meanwhile(entry.path);
    TRY(tar.write(piece));
    at += piece.size();
    copying_.copied(piece.size());
  }
  return {};
}

// "SIZE SECONDS" of each file there.
Result<std::unordered_map<std::string, std::string>> DirectorySending::files_there() {
  TRY_ASSIGN(const std::string printed, copying_.answer(k_sizes, {to_}));
  std::unordered_map<std::string, std::string> files;
  for (const std::string& line : split(printed, '\n')) {
    const std::size_t path = line.find(" ./");
    if (path != std::string::npos) files[line.substr(path + 1)] = line.substr(0, path);
  }
  return files;
}

// tar sets the time of a file when it is complete.
Status DirectorySending::skip_complete() {
  TRY_ASSIGN(const auto files, files_there());
  for (std::size_t i = 0; i < sent_; ++i) {
    if (!std::holds_alternative<TarFile>(entries_[i].what)) continue;
    const auto there = files.find(entries_[i].path);
    complete_[i] = there != files.end() && there->second == facts_line(entries_[i]);
  }
  return {};
}

Status DirectorySending::verify() {
  if (!can_list()) return {};
  TRY_ASSIGN(const auto files, files_there());
  for (const TarEntry& entry : entries_) {
    const auto* file = std::get_if<TarFile>(&entry.what);
    if (file == nullptr || entry.path.find('\n') != std::string::npos) continue;
    const auto there = files.find(entry.path);
    const std::string size = there == files.end() ? "0" : split_once(there->second, ' ').first;
    if (there != files.end() && size == cat(file->size)) continue;
    return Error{Code::error, cat(size, " of ", file->size, " bytes of ",
                                  printable_line(entry.path), " arrived")};
  }
  return {};
}

}  // namespace

Status send_directory(Copying& copying, const Sending& sending) {
  return DirectorySending(copying, sending).run();
}

}  // namespace trainctl::work
