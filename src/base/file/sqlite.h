// A private SQLite file, whatever tables are in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text/time.h"

struct sqlite3;
struct sqlite3_stmt;

namespace trainctl {

// A statement that is prepared once and run many times; ends before its file.
class SqliteStatement {
 public:
  SqliteStatement() = default;
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement) {}

  // Binds a parameter, from 1. The text must outlive the run.
  void bind(int index, std::string_view text);
  void bind(int index, std::int64_t number);
  // Forgets the parameters.
  void clear();
  // Reads a column of the current row, from 0.
  std::string text(int column) const;
  std::int64_t number(int column) const;

 private:
  friend class Sqlite;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
};

class Sqlite {
 public:
  // Opens the file, creating it when it is missing; only its owner may read it. ":memory:" creates
  // none. A file that another process holds is waited for at most as long as `patience`.
  static Result<std::unique_ptr<Sqlite>> open(const std::string& path, Duration patience);
  ~Sqlite();
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;

  // Runs statements without parameters and rows.
  Status execute(const char* statements);
  Result<SqliteStatement> prepared(std::string_view text);
  // Returns the first column of the first row.
  Result<std::int64_t> number(std::string_view query);
  // Steps to the next row; false when there is none.
  Result<bool> step(SqliteStatement& statement);
  // Runs a statement that returns no row, which may be run again afterwards.
  Status run(SqliteStatement& statement);

  bool is_in_transaction() const;
  // True when the last statement that failed did so for want of space.
  bool disk_was_full() const { return disk_was_full_; }
  void forget_full_disk() { disk_was_full_ = false; }
  // Frees the memory of pages that can be read again.
  void rest();

 private:
  Sqlite(std::string path, sqlite3* connection) : path_(std::move(path)), connection_(connection) {}
  Error failure();
  bool is_full() const;

  std::string path_;
  sqlite3* connection_;
  bool disk_was_full_ = false;
};

}  // namespace trainctl
