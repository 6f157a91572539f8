// A file to the container, under a temporary name until it is complete.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "base/file/checksum.h"
#include "base/text/text.h"
#include "transfer/local_entries.h"
#include "transfer/sending.h"

namespace trainctl::work {
namespace {

// A piece is summed while the next one arrives: 16 MiB, in blocks.
constexpr std::uint64_t k_summed_piece = 256 * k_write_block;
constexpr std::string_view k_sum_piece =
    "dd if=\"$1\" bs=65536 skip=\"$n\" count=256 2>/dev/null | ";
// Writes its input to $1, which has $2 blocks, and prints the sums of the pieces.
std::string write_and_sum(const SumTool& tool) {
  return cat(
      "n=0\n"
      "while dd of=\"$1\" bs=65536 seek=\"$n\" count=256 iflag=fullblock conv=notrunc || exit\n"
      "do\n"
      "  wait\n  ",
      k_sum_piece, tool.name,
      " &\n"
      "  n=$((n + 256))\n"
      "  [ \"$n\" -lt \"$2\" ] || break\n"
      "done\n"
      "wait");
}
// The same sums of a file that is complete.
std::string sum_pieces(const SumTool& tool) {
  return cat("n=0\nwhile ", k_sum_piece, tool.name,
             "; do\n"
             "  n=$((n + 256))\n"
             "  [ \"$n\" -lt \"$2\" ] || break\n"
             "done");
}
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

// The sums of a file's pieces, of bytes that may come again.
class PieceSums {
 public:
  PieceSums(Checksum::Method method, std::uint64_t piece)
      : method_(method), piece_(piece), sum_(method) {}
  void add(std::uint64_t at, std::string_view bytes);
  // The sums of all pieces; the last piece may be short.
  std::vector<std::string> all() const;

 private:
  Checksum::Method method_;
  std::uint64_t piece_;
  std::uint64_t summed_ = 0;  // bytes
  Checksum sum_;              // of the piece begun
  std::vector<std::string> sums_;
};

void PieceSums::add(std::uint64_t at, std::string_view bytes) {
  bytes.remove_prefix(std::min<std::uint64_t>(summed_ - at, bytes.size()));
  while (!bytes.empty()) {
    const auto part = bytes.substr(0, piece_ - summed_ % piece_);
    sum_.add(part);
    summed_ += part.size();
    bytes.remove_prefix(part.size());
    if (summed_ % piece_ != 0) continue;
    sums_.push_back(sum_.hex());
    sum_ = Checksum(method_);
  }
}

std::vector<std::string> PieceSums::all() const {
  std::vector<std::string> sums = sums_;
  if (sums.empty() || summed_ % piece_ != 0) sums.push_back(sum_.hex());
  return sums;
}

constexpr std::uint64_t k_no_pieces = std::numeric_limits<std::uint64_t>::max();

class FileSending {
 public:
  FileSending(Copying& copying, const Sending& sending, const TarEntry& source)
      : copying_(copying),
        sending_(sending),
        source_(source),
        to_(as_argument(sending.to)),
        temporary_(cat(to_.substr(0, to_.rfind('/') + 1), ".trainctl-",
                       copying.shell().access.unique_id())),
        size_(std::get<TarFile>(source.what).size),
        tool_(sending.verify ? sending.facts.sum_tool() : std::nullopt) {
    if (tool_) sums_.emplace(tool_->method, by_pieces() ? k_summed_piece : k_no_pieces);
  }

  Status run();

 private:
  Status send_all();
  Status send_from(LocalFile& file, std::uint64_t at);
  Status verify();
  bool by_pieces() const { return sending_.facts.has("fullblock"); }
  std::string blocks() const { return cat((size_ + k_write_block - 1) / k_write_block); }
  bool agrees(std::string_view printed) const;

  Copying& copying_;
  const Sending& sending_;
  const TarEntry& source_;
  std::string to_, temporary_;
  std::uint64_t size_;
  std::optional<SumTool> tool_;
  std::optional<PieceSums> sums_;   // where there is a tool
  std::optional<bool> sums_agree_;  // nullopt: not compared yet
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
  const bool sums = at == 0 && tool_ && by_pieces();
  Script script(copying_.shell(), sums ? write_and_sum(*tool_) : std::string(k_write_file),
                {temporary_, sums ? blocks() : cat(at / k_write_block)}, true);
  copying_.at(at);
  while (at < size_) {
    TRY_ASSIGN(std::string_view piece, file.read(at));
    piece = piece.substr(0, size_ - at);
    if (piece.empty()) return changed_meanwhile(source_.path);
    TRY(script.write(piece));
    if (sums_) sums_->add(at, piece);
    at += piece.size();
    copying_.at(at);
  }
  script.end_input();
  TRY_ASSIGN(const std::string printed, script.finish());
  if (sums) sums_agree_ = agrees(printed);
  return {};
}

bool FileSending::agrees(std::string_view printed) const {
  std::vector<std::string> sums = written_lines(printed);
  for (std::string& line : sums) line = checksum_in(line);
  return sums == sums_->all();
}

Status FileSending::verify() {
  if (sums_agree_) return *sums_agree_ ? Status() : changed_meanwhile(source_.path);
  TRY_ASSIGN(const std::uint64_t there, arrived_size(copying_, temporary_));
  if (there != size_) {
    return Error{Code::error,
                 cat(there, " of ", size_, " bytes of ", printable_line(source_.path), " arrived")};
  }
  if (!tool_) return {};
  copying_.show("comparing checksums");
  while (true) {
    Shell& shell = copying_.shell();
    Script script = by_pieces() ? Script(shell, sum_pieces(*tool_), {temporary_, blocks()})
                                : Script(shell, tool_->script(), {temporary_});
    const Result<std::string> printed = script.finish(checksum_patience(copying_.elapsed()));
    if (printed && agrees(*printed)) return {};
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
