// From the container to this machine: where it goes, as cp decides it.
#include <filesystem>
#include <utility>

#include "base/file/output_file.h"
#include "base/text/text.h"
#include "net/http.h"
#include "transfer/copy.h"
#include "transfer/fetching.h"
#include "transfer/local_entries.h"
#include "transfer/sending.h"

namespace trainctl::work {
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

}  // namespace trainctl::work
