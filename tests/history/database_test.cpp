// The database and its schema: migrations, and what is said of files that cannot be used.
#include "history/database.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "history/history.h"
#include "history/schema.h"

namespace swizzleperf {
namespace {

using ::testing::HasSubstr;

class DatabaseTest : public ::testing::Test {
 protected:
  std::filesystem::path path(const std::string& name = "history.db") const { return folder_->path() / name; }
  Database open() const { return Database::open(path(), Database::Mode::kReadWrite).value(); }
  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
};

TEST_F(DatabaseTest, ValuesComeBackAsTheyWere) {
  Database database = open();
  ASSERT_TRUE(database.run("CREATE TABLE t(a, b, c, d)"));
  const std::string odd = std::string("quote ' zero \0 end", 18);
  ASSERT_TRUE(database.run("INSERT INTO t VALUES(?1, ?2, ?3, ?4)", {int64_t{-7}, 0.1, odd, SqlValue()}));
  const auto rows = database.query("SELECT * FROM t").value();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0], (SqlRow{int64_t{-7}, 0.1, odd, SqlValue()}));
}

TEST_F(DatabaseTest, ATransactionIsWholeOrNothing) {
  Database database = open();
  ASSERT_TRUE(database.run("CREATE TABLE t(a UNIQUE)"));
  const auto done = database.transaction([&]() -> Expected<void> {
    if (auto first = database.run("INSERT INTO t VALUES(1)"); !first) return first;
    return database.run("INSERT INTO t VALUES(1)");
  });
  EXPECT_FALSE(done);
  EXPECT_EQ(database.query_integer("SELECT count(*) FROM t"), 0);
  EXPECT_TRUE(database.transaction([&] { return database.run("INSERT INTO t VALUES(1)"); }));
}

TEST_F(DatabaseTest, EveryOlderSchemaIsBroughtUpToDateWithItsData) {
  for (int version = 1; version < schema_version(); ++version) {
    std::filesystem::remove(path());
    {
      Database old = open();
      ASSERT_TRUE(migrate(old, version));
      EXPECT_EQ(old.query_integer("PRAGMA user_version"), version);
      ASSERT_TRUE(
          old.run("INSERT INTO runs(started, status, tool_version, case_file, case_name, variant, gpu, grid, "
                  "proposer, seed, evaluations, problem, fingerprint) VALUES('2026', 'done', '0', 'f', 'kept', "
                  "'v', 'g', '1', 'search', 1, 0, 'p', '{}')"));
    }
    auto history = History::open(path());
    ASSERT_TRUE(history) << describe(history.error());
    EXPECT_EQ(history->run(1)->info.case_name, "kept");
    EXPECT_TRUE(history->record_message(1, {.model = "m", .prompt = "p"}));
    EXPECT_EQ(history->messages(1)->size(), 1U);
  }
}

TEST_F(DatabaseTest, WritesAheadSoThatReadersDoNotWait) {
  Database database = open();
  ASSERT_TRUE(migrate(database));
  EXPECT_EQ(text(database.query("PRAGMA journal_mode")->front().front()), "wal");
}

TEST_F(DatabaseTest, OnlyTheOwnerMayReadIt) {
  Database database = open();
  ASSERT_TRUE(migrate(database));
  const auto others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
  EXPECT_EQ(std::filesystem::status(path()).permissions() & others, std::filesystem::perms::none);
}

void expect_refused(const Expected<History>& history, const std::string& what) {
  ASSERT_FALSE(history);
  EXPECT_EQ(history.error().blame, Blame::kUser);
  EXPECT_THAT(describe(history.error()), HasSubstr(what));
  EXPECT_THAT(describe(history.error()), HasSubstr("history.db"));
  EXPECT_FALSE(history.error().advice.empty());
}

TEST_F(DatabaseTest, SaysThatANewerProgramWroteIt) {
  {
    Database database = open();
    ASSERT_TRUE(migrate(database));
    ASSERT_TRUE(database.run("PRAGMA user_version = 99"));
  }
  expect_refused(History::open(path()), "newer version of this program (schema 99");
}

TEST_F(DatabaseTest, SaysThatItIsNoDatabase) {
  ASSERT_TRUE(write_file_atomic(path(), std::string(5000, 'x')));
  expect_refused(History::open(path()), "damaged or not a history");
}

TEST_F(DatabaseTest, SaysThatItIsDamaged) {
  {
    auto history = History::open(path());
    ASSERT_TRUE(history);
    ASSERT_TRUE(history->begin({.case_name = "c"}));
  }
  std::string bytes = read_file(path()).value();
  for (size_t i = 100; i < 4096; ++i) bytes[i] = static_cast<char>(i * 31);
  ASSERT_TRUE(write_file_atomic(path(), bytes));
  expect_refused(History::open(path()), "damaged or not a history");
}

TEST_F(DatabaseTest, SaysThatItIsADatabaseOfSomethingElse) {
  {
    ASSERT_TRUE(open().run("CREATE TABLE bookmarks(a)"));
  }
  expect_refused(History::open(path()), "database of something else");
}

TEST_F(DatabaseTest, SaysThatAFolderCannotBeWritten) {
  std::filesystem::create_directory(path());  // a folder in the file's place: also root cannot write there
  expect_refused(History::open(path()), "cannot be read or written");
}

TEST_F(DatabaseTest, SaysThatThereIsNoneYet) {
  expect_refused(History::open_to_read(path()), "there is no history yet");
}

TEST_F(DatabaseTest, AFullDiskIsAnErrorThatLosesNothingOlder) {
  Database database = open();
  ASSERT_TRUE(migrate(database));
  ASSERT_TRUE(database.run("CREATE TABLE t(a)"));
  ASSERT_TRUE(database.run("INSERT INTO t VALUES('kept')"));
  const int64_t pages = database.query_integer("PRAGMA page_count").value();
  ASSERT_TRUE(database.query("PRAGMA max_page_count = " + std::to_string(pages + 1)));
  const auto done =
      database.transaction([&] { return database.run("INSERT INTO t VALUES(?1)", {std::string(1 << 20, 'x')}); });
  ASSERT_FALSE(done);
  EXPECT_THAT(describe(done.error()), HasSubstr("make space on the disk"));
  EXPECT_EQ(database.query_integer("SELECT count(*) FROM t"), 1);
}

// Opens, migrates and records, as a process of its own.
void record_in_child(const std::filesystem::path& file, int runs) {
  for (int i = 0; i < runs; ++i) {
    auto history = History::open(file);
    if (!history) ::_exit(1);
    const auto run = history->begin({.case_name = "child"});
    if (!run) ::_exit(2);
    Scored one{.draft = {"n", "p", "pid = wg"}, .outcome = Scored::Outcome::kPredicted, .prediction = Prediction{}};
    for (int round = 0; round < 3; ++round) {
      if (!history->record(*run, Tries(5, one), 0, 5 * round)) ::_exit(3);
    }
    if (!history->finish(*run, "done", "no gain", "")) ::_exit(4);
  }
  ::_exit(0);
}

TEST_F(DatabaseTest, SeveralProcessesRecordAtOnceWithoutLoss) {
  constexpr int kProcesses = 6;
  constexpr int kRuns = 5;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    if (child == 0) record_in_child(path(), kRuns);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  auto history = History::open(path());
  ASSERT_TRUE(history);
  const auto runs = history->runs(-1).value();
  ASSERT_EQ(runs.size(), static_cast<size_t>(kProcesses * kRuns));
  for (const auto& run : runs) {
    EXPECT_EQ(run.candidates, 15);
    EXPECT_EQ(run.status, "done");
  }
  EXPECT_EQ(text(open().query("PRAGMA integrity_check")->front().front()), "ok");
}

}  // namespace
}  // namespace swizzleperf
