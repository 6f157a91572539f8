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

constexpr std::string_view k_facts =
    "if [ -d \"$1\" ]; then echo kind directory\n"
    "elif [ -f \"$1\" ]; then echo kind file\n"
    "elif [ -e \"$1\" ]; then echo kind other\n"
    "fi\n"
    "[ ! -f \"$1\" ] || stat -L -c 'stat %s %Y %a %i' \"$1\" 2>/dev/null || echo size $(wc -c "
    "<\"$1\")\n"
    "for tool in tar cat tail dd find stat sha256sum tee; do\n"
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
  constexpr std::size_t k_digits = 64;
  // A name that needs quoting is printed with a backslash in front of the line.
  if (printed.starts_with('\\')) printed.remove_prefix(1);
  return std::string(printed.substr(0, k_digits));
}

Duration checksum_patience(Duration copying) {
  constexpr Duration k_least = std::chrono::seconds(30);
  return std::max(k_least, 2 * copying);
}

// From the container to this machine: where it goes, as cp decides it.

namespace {

Error nothing_there(const Shell& shell, const std::string& path) {
  return {Code::not_found, cat("there is no ", printable_line(path), " in ", shell.target.name()),
          cat("trainctl exec ", shell.target.name(), " -- ls -l ",
              shell_quoted(path.starts_with('/') ? path.substr(0, path.rfind('/') + 1) : "."),
              " shows what exists")};
}

// Follows a link that the user names, as cp does, and replaces its target. One to a pipe or a
// device, such as /dev/stdout, must never be.
Result<OutputPlace> place_of_file(const std::filesystem::path& to, const std::string& typed) {
  TRY_ASSIGN(OutputPlace place, find_output_place(to.string(), NewDirectories::none));
  std::error_code trouble;
  const bool is_link = std::filesystem::is_symlink(to, trouble);
  if (!is_link || std::filesystem::is_regular_file(to, trouble)) return place;
  return Error{Code::refused,
               cat(printable_line(typed), " is a link to something other than a file"),
               "name a file or a directory"};
}

}  // namespace

Status copy_from(Shell& shell, CopyOrder order) {
  Copying copying(shell);
  TRY_ASSIGN(const RemoteFacts facts, copying.facts_of(order.remote));
  if (facts.kind == RemoteFacts::Kind::missing) return nothing_there(shell, order.remote);
  if (facts.kind == RemoteFacts::Kind::other) {
    return Error{Code::refused,
                 cat(printable_line(order.remote), " is neither file nor directory")};
  }
  std::filesystem::path to(resolve_path(shell.access.working_directory(), order.local));
  std::error_code trouble;
  const std::string name = last_name(order.remote);
  if (std::filesystem::is_directory(to, trouble) && !name.empty()) {
    to /= name;
  } else if (!to.has_filename() && facts.kind == RemoteFacts::Kind::directory) {
    to = to.parent_path();
  }
  const Fetching fetching{order.remote, facts};
  if (facts.kind == RemoteFacts::Kind::file) {
    TRY_ASSIGN(OutputPlace place, place_of_file(to, order.local));
    ExtractionRoot tree = ExtractionRoot::at(std::move(place.directory));
    TRY(fetch_file(copying, tree, fetching, place.name, order.verify));
  } else {
    if (!facts.has("tar")) return no_tar(shell);
    TRY_ASSIGN(ExtractionRoot tree, ExtractionRoot::open(to.string()));
    TRY(fetch_directory(copying, tree, fetching));
  }
  return copying.finish(order.remote);
}

// From this machine to the container: where it goes, as cp decides it.

namespace {

Status refuse(const Shell& shell, const RemoteFacts& facts, const std::string& path) {
  if (facts.kind == RemoteFacts::Kind::other) {
    return Error{Code::refused, cat(printable_line(path), " is neither file nor directory")};
  }
  if (path.ends_with('/') && facts.kind != RemoteFacts::Kind::directory) {
    return Error{Code::not_found,
                 cat("there is no directory ", printable_line(path), " in ", shell.target.name()),
                 cat("trainctl exec ", shell.target.name(), " -- mkdir -p ", shell_quoted(path))};
  }
  return {};
}

}  // namespace

Status copy_to(Shell& shell, CopyOrder order) {
  const std::string typed = std::move(order.local);
  order.local = resolve_path(shell.access.working_directory(), typed);
  Copying copying(shell);
  TRY_ASSIGN(TarEntry source, local_entry(order.local, typed));
  TRY_ASSIGN(RemoteFacts facts, copying.facts_of(order.remote));
  TRY(refuse(shell, facts, order.remote));
  const bool is_file = std::holds_alternative<TarFile>(source.what);
  std::string to = order.remote;
  const std::string name = last_name(typed);
  if (facts.kind == RemoteFacts::Kind::directory && !name.empty()) {
    to += cat(to.ends_with('/') ? "" : "/", name);
    TRY_ASSIGN(facts, copying.facts_of(to));
  }
  const auto obstacle = is_file ? RemoteFacts::Kind::directory : RemoteFacts::Kind::file;
  if (facts.kind == obstacle || facts.kind == RemoteFacts::Kind::other) {
    return Error{Code::refused, cat(printable_line(to), " exists in ", shell.target.name(),
                                    is_file ? ", and is not a file" : ", and is not a directory")};
  }
  const Sending sending{order.local, to, std::move(facts), order.verify};
  if (is_file) {
    TRY(send_file(copying, sending, source));
  } else {
    if (!sending.facts.has("tar")) return no_tar(shell);
    TRY(send_directory(copying, sending));
  }
  return copying.finish(typed);
}

}  // namespace trainctl::work
