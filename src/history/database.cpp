#include "history/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>

namespace swizzleperf {
namespace {

constexpr int kBusyMilliseconds = 5000;
constexpr int kRetryMilliseconds = 5;

// SQLite's result codes that a user can do something about.
const char* advice_for(int code) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "move the file away, and the next run starts a new one; --history FILE names another, --history none goes "
             "without";
    case SQLITE_FULL:
      return "make space on the disk, or name a file elsewhere with --history FILE";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process holds the file: try again when it has ended";
    default:
      return "--history FILE names another file, --history none goes without";
  }
}

Error error_of(const std::filesystem::path& file, int code, const std::string& detail) {
  const bool damaged = (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
  const bool misuse = (code & 0xff) == SQLITE_ERROR || (code & 0xff) == SQLITE_MISUSE || (code & 0xff) == SQLITE_RANGE;
  std::string message = damaged ? fmt::format("the history is damaged or not a history: {}", detail)
                                : fmt::format("the history cannot be read or written: {}", detail);
  return {misuse ? Blame::kInternal : Blame::kUser, std::move(message), {file.string()}, advice_for(code)};
}

class Statement {
 public:
  Statement() = default;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(handle); }
  sqlite3_stmt* handle = nullptr;
};

int bind(sqlite3_stmt* statement, int place, const SqlValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return sqlite3_bind_int64(statement, place, *number);
  if (const auto* number = std::get_if<double>(&value)) return sqlite3_bind_double(statement, place, *number);
  if (const auto* string = std::get_if<std::string>(&value))
    return sqlite3_bind_text64(statement, place, string->data(), string->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return sqlite3_bind_null(statement, place);
}

SqlValue column(sqlite3_stmt* statement, int place) {
  switch (sqlite3_column_type(statement, place)) {
    case SQLITE_INTEGER:
      return static_cast<int64_t>(sqlite3_column_int64(statement, place));
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, place);
    case SQLITE_NULL:
      return {};
    default:
      return std::string(static_cast<const char*>(sqlite3_column_blob(statement, place)),
                         static_cast<size_t>(sqlite3_column_bytes(statement, place)));
  }
}

}  // namespace

int64_t integer(const SqlValue& value) {
  const auto* number = std::get_if<int64_t>(&value);
  return number != nullptr ? *number : 0;
}

double real(const SqlValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return static_cast<double>(integer(value));
}

std::string text(const SqlValue& value) {
  const auto* string = std::get_if<std::string>(&value);
  return string != nullptr ? *string : std::string();
}

void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

Expected<Database> Database::open(const std::filesystem::path& file, Mode mode) {
  std::error_code ignored;
  if (mode == Mode::kReadWrite && !std::filesystem::exists(file, ignored)) {
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), ignored);
    // Kernels and prompts are nobody else's business.
    if (const int made = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600); made >= 0) ::close(made);
  }
  sqlite3* handle = nullptr;
  const int flags = mode == Mode::kReadWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  const int code = sqlite3_open_v2(file.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(file, handle);
  if (code != SQLITE_OK) return tl::unexpected(error_of(file, code, sqlite3_errstr(code)));
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  // Reads the file's head, so that what is no database is known now.
  if (const auto head = database.query("PRAGMA schema_version"); !head) return tl::unexpected(head.error());
  return database;
}

tl::unexpected<Error> Database::failure(int code) const {
  return tl::unexpected(error_of(file_, code, sqlite3_errmsg(handle_.get())));
}

Expected<std::vector<SqlRow>> Database::query(const std::string& sql, const std::vector<SqlValue>& values) {
  Statement statement;
  int code = sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &statement.handle, nullptr);
  for (size_t i = 0; i < values.size() && code == SQLITE_OK; ++i)
    code = bind(statement.handle, static_cast<int>(i) + 1, values[i]);
  if (code != SQLITE_OK) return failure(code);
  std::vector<SqlRow> rows;
  while ((code = sqlite3_step(statement.handle)) == SQLITE_ROW) {
    SqlRow row;
    for (int i = 0; i < sqlite3_column_count(statement.handle); ++i) row.push_back(column(statement.handle, i));
    rows.push_back(std::move(row));
  }
  if (code != SQLITE_DONE) return failure(code);
  return rows;
}

Expected<void> Database::run(const std::string& sql, const std::vector<SqlValue>& values) {
  return query(sql, values).map([](const auto&) {});
}

Expected<int64_t> Database::query_integer(const std::string& sql) {
  return query(sql).map([](const auto& rows) { return rows.empty() ? 0 : integer(rows.front().front()); });
}

Expected<void> Database::script(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(code);
  return {};
}

Expected<void> Database::use_write_ahead_log() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyMilliseconds);
  int code = SQLITE_OK;
  while ((code = sqlite3_exec(handle_.get(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr)) == SQLITE_BUSY &&
         std::chrono::steady_clock::now() < deadline) {
    sqlite3_sleep(kRetryMilliseconds);
  }
  if (code != SQLITE_OK) return failure(code);
  return {};
}

Expected<void> Database::transaction(const std::function<Expected<void>()>& work) {
  if (auto begun = run("BEGIN IMMEDIATE"); !begun) return begun;
  auto done = work();
  if (done) done = run("COMMIT");
  // A full disk has ended the transaction already.
  if (!done && sqlite3_get_autocommit(handle_.get()) == 0) (void)run("ROLLBACK");
  return done;
}

int64_t Database::last_row() const {
  return sqlite3_last_insert_rowid(handle_.get());
}

}  // namespace swizzleperf
