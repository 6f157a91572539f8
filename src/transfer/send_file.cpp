// A file to the container, under a temporary name until it is complete.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "base/file/sha256.h"
#include "base/text/text.h"
#include "transfer/local_entries.h"
#include "transfer/sending.h"

namespace trainctl::work {
namespace {

// Sums up what passes, so that the file is not read again. tee continues after an error, with a
// status that the pipe would hide.
constexpr std::string_view k_write_and_sum =
    "out=$({ { tee \"$1\" && echo whole >&3; } | sha256sum; } 3>&1)\n"
    "echo \"$out\"\n"
    "case $out in *whole*) ;; *) exit 1 ;; esac";
// wc may read the whole file.
constexpr std::string_view k_size =
    "if [ -e \"$1\" ]; then stat -c %s \"$1\" 2>/dev/null || wc -c <\"$1\"; else echo 0; fi";
// Again after an answer that was lost, there is nothing left to do.
constexpr std::string_view k_name_it =
    "if [ -e \"$1\" ]; then chmod \"$3\" \"$1\" && mv -f \"$1\" \"$2\"; fi";
constexpr std::string_view k_remove = "rm -f \"$1\"";

}  // namespace

Result<std::uint64_t> arrived_size(Copying& copying, const std::string& path) {
  TRY_ASSIGN(const std::string printed, copying.answer(k_size, {path}));
  return static_cast<std::uint64_t>(std::strtoull(printed.c_str(), nullptr, 10));
}

bool remove_arrived(Shell& shell, const std::string& path) {
  const auto interruption = std::exchange(shell.interruption, std::nullopt);
  Script script(shell, k_remove, {path});
  const auto removed = script.finish(std::chrono::seconds(5));
  shell.interruption = interruption;
  return removed.has_value();
}

namespace {

class FileSending {
 public:
  FileSending(Copying& copying, const Sending& sending, const TarEntry& source)
      : copying_(copying),
        sending_(sending),
        source_(source),
        to_(as_argument(sending.to)),
        temporary_(cat(to_.substr(0, to_.rfind('/') + 1), ".trainctl-",
                       copying.shell().access.unique_id())),
        size_(std::get<TarFile>(source.what).size) {}

  Status run();

 private:
  Status send_all();
  Status send_from(LocalFile& file, std::uint64_t at);
  Status verify();
  bool compares_sums() const { return sending_.verify && sending_.facts.has("sha256sum"); }

  Copying& copying_;
  const Sending& sending_;
  const TarEntry& source_;
  std::string to_, temporary_;
  std::uint64_t size_;
  std::uint64_t summed_ = 0;  // bytes that the checksum covers
  Sha256 sum_;
  std::string sum_there_;  // of what has arrived; "" = not known
};

Status FileSending::run() {
  copying_.expect(size_);
  Status status = send_all();
  if (status) status = verify();
  if (status) {
    std::array<char, 8> mode{};
    std::snprintf(mode.data(), mode.size(), "%o", source_.mode);
    const auto named = copying_.answer(k_name_it, {temporary_, to_, mode.data()});
    if (named) return {};
    status = named.error();
  }
  if (!remove_arrived(copying_.shell(), temporary_)) {
    copying_.console().warn(cat("left in the container: ", printable_line(temporary_)));
  }
  return status;
}

Status FileSending::send_all() {
  TRY_ASSIGN(LocalFile file, LocalFile::open(source_.path));
  std::uint64_t at = 0;
  while (true) {
    const Status sent = send_from(file, at);
    if (sent) return {};
    TRY(copying_.wait_after(sent.error()));
    TRY_ASSIGN(const TarEntry now, local_entry(source_.path, source_.path));
    const auto* same = std::get_if<TarFile>(&now.what);
    if (same == nullptr || same->size != size_ || now.modified != source_.modified) {
      return changed_meanwhile(source_.path);
    }
    TRY_ASSIGN(const std::uint64_t there, arrived_size(copying_, temporary_));
    at = sending_.facts.has("dd") ? std::min(there, size_) / k_write_block * k_write_block : 0;
  }
}

Status FileSending::send_from(LocalFile& file, std::uint64_t at) {
  const bool sums = at == 0 && compares_sums() && sending_.facts.has("tee");
  Script script(copying_.shell(), sums ? k_write_and_sum : k_write_file,
                {temporary_, cat(at / k_write_block)}, true);
  copying_.at(at);
  while (at < size_) {
    TRY_ASSIGN(std::string_view piece, file.read(at));
    piece = piece.substr(0, size_ - at);
    if (piece.empty()) return changed_meanwhile(source_.path);
    TRY(script.write(piece));
    at += piece.size();
    copying_.at(at);
    if (at <= summed_) continue;
    sum_.add(piece.substr(piece.size() - std::min<std::uint64_t>(at - summed_, piece.size())));
    summed_ = at;
  }
  script.end_input();
  TRY_ASSIGN(const std::string printed, script.finish());
  // The two ends of the pipe print in any order.
  constexpr std::string_view k_whole = "whole\n";
  const std::size_t before_sum = printed.starts_with(k_whole) ? k_whole.size() : 0;
  if (sums) sum_there_ = checksum_in(std::string_view(printed).substr(before_sum));
  return {};
}

Status FileSending::verify() {
  if (!sum_there_.empty()) {
    if (sum_there_ == sum_.hex()) return {};
    return changed_meanwhile(source_.path);
  }
  TRY_ASSIGN(const std::uint64_t there, arrived_size(copying_, temporary_));
  if (there != size_) {
    return Error{Code::error,
                 cat(there, " of ", size_, " bytes of ", printable_line(source_.path), " arrived")};
  }
  if (!compares_sums()) return {};
  copying_.show("comparing checksums");
  while (true) {
    Script script(copying_.shell(), k_checksum_script, {temporary_});
    const Result<std::string> printed = script.finish(checksum_patience(copying_.elapsed()));
    if (printed && checksum_in(*printed) == sum_.hex()) return {};
    if (printed) return changed_meanwhile(source_.path);
    if (copying_.shell().interruption) return printed.error();
    if (!copying_.shell().cut) {
      copying_.console().warn(
          cat("the size is right; the checksum was not compared: ", printed.error().message));
      return {};
    }
    TRY(copying_.wait_after(printed.error()));
  }
}

}  // namespace

Status send_file(Copying& copying, const Sending& sending, const TarEntry& source) {
  return FileSending(copying, sending, source).run();
}

}  // namespace trainctl::work
