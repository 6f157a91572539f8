// The store's copy on disk: a SQLite database of objects as JSON text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/file/sqlite.h"
#include "base/result.h"
#include "local/disk.h"

namespace trainctl::local {

struct StoredRow {
  std::string resource;  // "pods", "pytorchjobs.kubeflow.org"
  std::string key;       // "NAMESPACE/NAME", "NAME"
  std::string object;
};

// The behaviour of a change on a full disk: a change that begins something is refused, one that
// continues or ends something uses the reserve.
enum class OnFullDisk { refuse, use_reserve };

class Database {
 public:
  // Opens the file, creating it when it is missing; only its owner may read it, because it holds
  // secrets.
  static Result<std::unique_ptr<Database>> open(const std::string& path);

  // Passes every row to `take`, and returns the version of the last change.
  Result<std::int64_t> load(const std::function<Status(const StoredRow&)>& take);
  // Each of these is one transaction: when it fails, nothing has changed.
  Status put(const StoredRow& row, std::int64_t version, OnFullDisk on_full);
  Status erase(std::string_view resource, std::string_view key, std::int64_t version);
  // Frees the memory of pages that can be read again.
  void rest();

 private:
  Database(std::string path, std::unique_ptr<Sqlite> file);
  Status prepare();
  Status change(SqliteStatement& statement, std::int64_t version, OnFullDisk on_full);
  Status transact(SqliteStatement& statement, std::int64_t version);
  void roll_back();
  Status reclaim();
  Status explained(Status status) const;

  std::string path_;
  DiskReserve reserve_;
  std::unique_ptr<Sqlite> file_;
  bool was_full_ = false;  // the disk, when the last change failed
  SqliteStatement put_;
  SqliteStatement erase_;
  SqliteStatement version_;
};

}  // namespace trainctl::local
