// The common parts of both directions of a copy.
#include "transfer/copy.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/file/output_file.h"
#include "base/text/text.h"
#include "net/http.h"
#include "transfer/fetching.h"
#include "transfer/local_entries.h"
#include "transfer/sending.h"

namespace trainctl::work {
namespace {

constexpr Duration k_silence = std::chrono::seconds(10);
constexpr Duration k_redraw = std::chrono::milliseconds(200);
constexpr long k_named = 10;  // entries left out that are named
constexpr int k_octal = 8;

// A tool may be there and not work: machines in FIPS mode refuse MD5, and an old BusyBox
// cannot read whole blocks from a pipe.
constexpr std::string_view k_facts =
    "if [ -d \"$1\" ]; then echo kind directory\n"
    "elif [ -f \"$1\" ]; then echo kind file\n"
    "elif [ -e \"$1\" ]; then echo kind other\n"
    "fi\n"
    "[ ! -f \"$1\" ] || stat -L -c 'stat %s %Y %a %i' \"$1\" 2>/dev/null || echo size $(wc -c "
    "<\"$1\")\n"
    "if md5sum </dev/null >/dev/null 2>&1; then echo has md5sum; fi\n"
    "if dd iflag=fullblock </dev/null >/dev/null 2>&1; then echo has fullblock; fi\n"
    "for tool in tar cat tail dd find stat sha256sum; do\n"
    "  if command -v $tool >/dev/null 2>&1; then echo has $tool; fi\n"
    "done";

RemoteFacts read_facts(const std::string& printed) {
  RemoteFacts facts;
  for (const std::string& line : written_lines(printed)) {
    std::vector<std::string> words = split(line, ' ');
    words.resize(5);
    if (words[0] == "has") facts.tools.insert(words[1]);
    if (words[0] == "kind") {
      facts.kind = words[1] == "file"        ? RemoteFacts::Kind::file
                   : words[1] == "directory" ? RemoteFacts::Kind::directory
                                             : RemoteFacts::Kind::other;
    }
    if (words[0] != "stat" && words[0] != "size") continue;
    facts.size = parse_number<std::uint64_t>(words[1]).value_or(0);
    facts.identity = line;
    if (words[0] == "size") continue;
    facts.modified = parse_number<std::int64_t>(words[2]).value_or(0);
    facts.mode = parse_number<unsigned>(words[3], k_octal).value_or(0);
  }
  return facts;
}

}  // namespace

std::optional<SumTool> RemoteFacts::sum_tool() const {
  if (has("md5sum")) return SumTool{"md5sum", Checksum::Method::md5};
  if (has("sha256sum")) return SumTool{"sha256sum", Checksum::Method::sha256};
  return std::nullopt;
}

Copying::Copying(Shell& shell) : shell_(shell), began_(shell.access.loop.now()) {
  watch_for_silence();
}

// Says it once for each silence: a program may stand still without an error.
void Copying::watch_for_silence(bool told) {
  silence_ = shell_.access.loop.after(k_silence, [this, told, before = done_] {
    const bool silent = done_ == before;
    if (silent && !told) {
      console().notice(
          cat("waiting for ", shell_.target.name(), ": no data for ", format_age(k_silence)));
    }
    watch_for_silence(silent);
  });
}

void Copying::copied(std::uint64_t bytes) {
  at(done_ + bytes);
}

void Copying::at(std::uint64_t done) {
  if (done > done_) {
    backoff_.recovered();
    trouble_.clear();
  }
  done_ = done;
  show();
}

void Copying::show(std::string_view instead) {
  const Time now = shell_.access.loop.now();
  if (!console().shows_status() || (instead.empty() && now - shown_ < k_redraw)) return;
  shown_ = now;
  if (!instead.empty()) return console().set_status(instead);
  const auto seconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(elapsed()).count() / 1000.0;
  const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  std::string text = size_text(done_);
  if (total_) text += cat(" of ", size_text(*total_));
  text += cat(", ", size_text(static_cast<std::uint64_t>(rate)), "/s");
  if (total_ && *total_ > done_ && rate > 0) {
    const double left = static_cast<double>(*total_ - done_) / rate;
    text += cat(", ", format_age(std::chrono::seconds(static_cast<long>(left) + 1)), " left");
  }
  console().set_status(text);
}

Status Copying::wait_after(Error error) {
  if (!shell_.cut) return error;
  Loop& loop = shell_.access.loop;
  const auto delay = backoff_.delay_in_trouble(loop.now(), std::nullopt);
  if (!delay) return error;
  const std::string notice = cat(error.message, "; ", net::trying_again(*delay));
  if (std::exchange(trouble_, notice) != notice) console().notice(notice);
  bool over = false;
  const HandlePtr timer = loop.after(*delay, [&over] { over = true; });
  loop.run_until([&] { return over || shell_.interruption; });
  if (shell_.interruption) return *shell_.interruption;
  return {};
}

Result<std::string> Copying::answer(std::string_view script,
                                    const std::vector<std::string>& arguments) {
  while (true) {
    Script run(shell_, script, arguments);
    Result<std::string> printed = run.finish();
    if (printed) return printed;
    TRY(wait_after(printed.error()));
  }
}

Result<RemoteFacts> Copying::facts_of(const std::string& path) {
  TRY_ASSIGN(const std::string printed, answer(k_facts, {as_argument(path)}));
  return read_facts(printed);
}

void Copying::leave_out(const Error& why) {
  if (left_out_++ < k_named) console().warn(cat("left out: ", why.message));
}

Status Copying::finish(const std::string& source) {
  console().set_status("");
  if (left_out_ > 0) {
    return Error{Code::error,
                 cat("the copy is incomplete: ", left_out_, " left out; the rest is complete")};
  }
  console().notice(cat("copied ", printable_line(source), ": ", size_text(done_), " in ",
                       format_age(elapsed())));
  return {};
}

Error changed_meanwhile(const std::string& path) {
  return {Code::error, cat(printable_line(path), " changed while it was copied"),
          "copy it again when nothing writes to it"};
}

Error no_tar(const Shell& shell) {
  return {Code::not_found, cat(shell.target.name(), " has no tar, which directories need"),
          "copy its files one by one, or use an image with tar"};
}

std::string last_name(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::string name = path.substr(path.rfind('/') + 1);
  return name == "." || name == ".." ? "" : name;
}

std::string as_argument(const std::string& path) {
  return path.starts_with('/') ? path : cat("./", path);
}

std::string checksum_in(std::string_view printed) {
  // A name that needs quoting is printed with a backslash in front of the line.
  if (printed.starts_with('\\')) printed.remove_prefix(1);
  return std::string(printed.substr(0, printed.find(' ')));
}

Duration checksum_patience(Duration copying) {
  constexpr Duration k_least = std::chrono::seconds(30);
  return std::max(k_least, 2 * copying);
}

}  // namespace trainctl::work
