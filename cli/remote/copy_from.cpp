// From the container to this machine: where it goes, as cp decides it.
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "cli/remote/copy.h"
#include "cli/remote/fetching.h"

namespace trainctl::cli {
namespace {

Error nothing_there(const Shell& shell, const std::string& path) {
  return {Code::not_found, cat("there is no ", printable_line(path), " in ", shell.target.name()),
          cat("trainctl exec ", shell.target.name(), " -- ls -l ",
              shell_quoted(path.starts_with('/') ? path.substr(0, path.rfind('/') + 1) : "."),
              " shows what there is")};
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
  std::filesystem::path to(resolve_path(shell.context.working_directory(), order.local));
  std::error_code trouble;
  const std::string name = last_name(order.remote);
  if (std::filesystem::is_directory(to, trouble) && !name.empty()) {
    to /= name;
  } else if (!to.has_filename() && facts.kind == RemoteFacts::Kind::directory) {
    to = to.parent_path();
  }
  const Fetching fetching{order.remote, facts};
  if (facts.kind == RemoteFacts::Kind::file) {
    TRY_ASSIGN(PlacedTree tree, PlacedTree::open(to.parent_path().string()));
    TRY(fetch_file(copying, tree, fetching, to.filename().string(), order.verify));
  } else {
    if (!facts.has("tar")) return no_tar(shell);
    TRY_ASSIGN(PlacedTree tree, PlacedTree::open(to.string()));
    TRY(fetch_directory(copying, tree, fetching));
  }
  return copying.finish(order.remote);
}

}  // namespace trainctl::cli
