// A SQLite database: statements with bound values, transactions, errors in words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"

struct sqlite3;

namespace swizzleperf {

using SqlValue = std::variant<std::monostate, int64_t, double, std::string>;  // NULL, INTEGER, REAL, TEXT
using SqlRow = std::vector<SqlValue>;

// Of a column that the schema says is of this type; 0 or "" for NULL.
int64_t integer(const SqlValue& value);
double real(const SqlValue& value);
std::string text(const SqlValue& value);

class Database {
 public:
  enum class Mode { kReadWrite, kReadOnly };

  // Opens a file, and makes it, readable by its owner only, where it is not there (kReadWrite). Waits up to 5 seconds
  // for other processes that write. User error for what is not a database or cannot be opened, with what to do.
  static Expected<Database> open(const std::filesystem::path& file, Mode mode);
  Database(Database&&) noexcept = default;
  Database& operator=(Database&&) noexcept = default;

  const std::filesystem::path& file() const { return file_; }

  // One statement. Its values take the places of ?1, ?2, ...
  Expected<void> run(const std::string& sql, const std::vector<SqlValue>& values = {});
  Expected<std::vector<SqlRow>> query(const std::string& sql, const std::vector<SqlValue>& values = {});
  Expected<int64_t> query_integer(const std::string& sql);  // the first column of the first row; 0 without a row

  // Several statements without values: a migration.
  Expected<void> script(const std::string& sql);

  // For a file that others may be opening: SQLite itself waits for no lock in this change of mode, so it is tried again
  // for as long as any statement waits.
  Expected<void> use_write_ahead_log();

  // Everything that `work` does, or nothing of it. Takes the write lock at once.
  Expected<void> transaction(const std::function<Expected<void>()>& work);

  int64_t last_row() const;  // the row that the last INSERT made

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  Database(std::filesystem::path file, sqlite3* handle) : file_(std::move(file)), handle_(handle) {}
  tl::unexpected<Error> failure(int code) const;

  std::filesystem::path file_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace swizzleperf
