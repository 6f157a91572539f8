// The store's copy on disk: a SQLite database of objects as JSON text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "local/disk.h"

struct sqlite3;
struct sqlite3_stmt;

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
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Passes every row to `take`, and returns the version of the last change.
  Result<std::int64_t> load(const std::function<Status(const StoredRow&)>& take);
  // Each of these is one transaction: when it fails, nothing has changed.
  Status put(const StoredRow& row, std::int64_t version, OnFullDisk on_full);
  Status erase(std::string_view resource, std::string_view key, std::int64_t version);
  // Frees the memory of pages that can be read again.
  void rest();

 private:
  Database(std::string path, sqlite3* connection);
  Status prepare();
  Status execute(const char* statement);
  Status step(sqlite3_stmt* statement);
  Status change(sqlite3_stmt* statement, std::int64_t version, OnFullDisk on_full);
  Status transact(sqlite3_stmt* statement, std::int64_t version);
  void roll_back();
  bool is_full() const;
  Status reclaim();
  Result<std::int64_t> number(const char* query);
  Error failure();

  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalizer>;
  Result<Statement> prepared(const char* text);

  std::string path_;
  DiskReserve reserve_;
  bool disk_was_full_ = false;  // the last statement failed because of it
  sqlite3* connection_;
  Statement put_;
  Statement erase_;
  Statement version_;
};

}  // namespace trainctl::local
