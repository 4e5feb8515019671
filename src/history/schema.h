// The tables of the history, in versions. PRAGMA user_version holds the version of a file.
#pragma once

#include "history/database.h"

namespace swizzleperf {

// The newest version that this program knows.
int schema_version();

// Brings a database to `version`, step by step, each step whole or not at all; several processes may try at once. User
// error for a file of a newer program, or one that holds something else.
Expected<void> migrate(Database& database, int version = schema_version());

// For reading only: a user error unless the file is of the newest version.
Expected<void> check_version(Database& database);

}  // namespace swizzleperf
