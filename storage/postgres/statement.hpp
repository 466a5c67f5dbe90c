#pragma once
// SPDX-License-Identifier: Apache-2.0
// SQL with a name; prepared on first use in each session. Constants. Those of more than 15 lines
// are files, <name>.sql beside the .cpp that runs them; <name>.sql.hpp has them as `sql::k<Name>`.

namespace ba {

struct Statement {
  const char* name;
  const char* sql;
};

}  // namespace ba
