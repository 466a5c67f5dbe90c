#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tables that may be written, with their columns. Values.

#include <string>
#include <vector>

#include "tests/worker/tools/sql/hunt/onlooker_session.hpp"

namespace ba::hunt {

struct Column {
  std::string name;
  std::string type;
  bool needed = false;     ///< must be given a value
  bool generated = false;  ///< can't be
};

struct Target {
  std::string name;
  std::vector<Column> columns;
};

inline std::vector<Target> targets_of(Session& admin, const std::vector<std::string>& tables) {
  std::vector<Target> targets;
  for (const std::string& table : tables) {
    Target target{table, {}};
    for (const auto& row :
         admin
             .need("SELECT quote_ident(attname), format_type(atttypid, NULL),"
                   " attnotnull AND NOT atthasdef AND attidentity = '', attgenerated <> ''"
                   " FROM pg_attribute WHERE attrelid = '" +
                   table + "'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum")
             .rows)
      target.columns.push_back({row.at(0), row.at(1), row.at(2) == "t", row.at(3) == "t"});
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace ba::hunt
