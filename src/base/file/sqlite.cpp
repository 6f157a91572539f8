// Turns SQLite's codes into errors that name the file and the system's reason.
#include "base/file/sqlite.h"

#include <cerrno>
#include <cstring>

#include <sqlite3.h>

#include "base/file/own_file.h"
#include "base/text/text.h"

namespace trainctl {

void SqliteStatement::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void SqliteStatement::bind(int index, std::string_view text) {
  sqlite3_bind_text(statement_.get(), index, text.data(), static_cast<int>(text.size()),
                    SQLITE_STATIC);
}

void SqliteStatement::bind(int index, std::int64_t number) {
  sqlite3_bind_int64(statement_.get(), index, number);
}

void SqliteStatement::clear() {
  sqlite3_clear_bindings(statement_.get());
}

std::string SqliteStatement::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string()
                          : std::string(static_cast<const char*>(bytes), std::size_t(size));
}

std::int64_t SqliteStatement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

Sqlite::~Sqlite() {
  sqlite3_close(connection_);
}

Result<std::unique_ptr<Sqlite>> Sqlite::open(const std::string& path, Duration patience) {
  if (path != ":memory:") TRY(open_own_file(path));
  sqlite3* connection = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
  std::unique_ptr<Sqlite> file(new Sqlite(path, connection));
  if (code != SQLITE_OK) return file->failure();
  sqlite3_busy_timeout(connection, static_cast<int>(patience / std::chrono::milliseconds(1)));
  return file;
}

bool Sqlite::is_full() const {
  const int code = sqlite3_errcode(connection_) & 0xff;
  return code == SQLITE_FULL ||
         (code == SQLITE_IOERR && sqlite3_system_errno(connection_) == ENOSPC);
}

Error Sqlite::failure() {
  disk_was_full_ = is_full();
  const int system = sqlite3_system_errno(connection_);
  const std::string why = system != 0 ? cat(" (", std::strerror(system), ')') : std::string();
  const int code = sqlite3_errcode(connection_) & 0xff;
  const bool is_damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  return {Code::error, cat(path_, ": ", sqlite3_errmsg(connection_), why),
          is_damaged ? cat("move the file away to start over: mv ", shell_quoted(path_), ' ',
                           shell_quoted(path_ + ".damaged"))
                     : ""};
}

Status Sqlite::execute(const char* statements) {
  if (sqlite3_exec(connection_, statements, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return failure();
}

Result<SqliteStatement> Sqlite::prepared(std::string_view text) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection_, text.data(), static_cast<int>(text.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return failure();
  return SqliteStatement(statement);
}

Result<std::int64_t> Sqlite::number(std::string_view query) {
  TRY_ASSIGN(SqliteStatement statement, prepared(query));
  if (sqlite3_step(statement.statement_.get()) != SQLITE_ROW) return failure();
  return statement.number(0);
}

Result<bool> Sqlite::step(SqliteStatement& statement) {
  const int code = sqlite3_step(statement.statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return failure();
}

Status Sqlite::run(SqliteStatement& statement) {
  const int code = sqlite3_step(statement.statement_.get());
  Status done = code == SQLITE_DONE ? Status() : Status(failure());
  sqlite3_reset(statement.statement_.get());
  return done;
}

bool Sqlite::is_in_transaction() const {
  return sqlite3_get_autocommit(connection_) == 0;
}

void Sqlite::rest() {
  sqlite3_db_release_memory(connection_);
}

}  // namespace trainctl
