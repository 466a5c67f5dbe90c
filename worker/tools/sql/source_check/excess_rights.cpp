// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/source_check/excess_rights.hpp"

#include "worker/tools/sql/source_check/rights_parts.hpp"

namespace ba {
namespace {

constexpr const char* kMe = R"sql(
WITH me AS (
  SELECT r.oid, r.rolname FROM pg_roles r WHERE r.rolname = current_user
  UNION SELECT r.oid, r.rolname FROM pg_roles r
   WHERE r.rolname <> current_user AND pg_has_role(current_user, r.oid, 'USAGE')
  UNION SELECT 0::oid, 'PUBLIC'))sql";

}  // namespace

const std::string& excess_rights_question() {
  static const std::string question = [] {
    std::string sql = kMe;
    const char* before = "\n";
    for (const char* part : {kRightsOnTables, kRightsOnFunctions, kRightsInDatabase, kRoleItself}) {
      sql += std::string(before) + "SELECT * FROM (" + part + ") AS part";
      before = "\nUNION ALL\n";
    }
    return sql;
  }();
  return question;
}

}  // namespace ba
