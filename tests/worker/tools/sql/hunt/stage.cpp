// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/tools/sql/hunt/stage.hpp"

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "tests/worker/tools/sql/hunt/onlooker_session.hpp"
#include "tests/worker/tools/sql/hunt/statement_file.hpp"
#include "tests/worker/tools/sql/hunt/tool_judges.hpp"
#include "tests/worker/tools/sql/write_database.hpp"

namespace ba::hunt {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) throw std::runtime_error(path + " is missing or empty");
  return text.str();
}

std::string programs() {
  const char* bin = std::getenv("BA_HUNT_POSTGRES_BIN");
  return bin ? bin : "/usr/lib/postgresql/15/bin";
}

}  // namespace

Stage::Stage() : server_(programs()) {
  Session admin(server_.url(ScratchServer::kAdmin, "postgres"));
  // The last is what a password's digest looks like.
  admin.need(
      "CREATE ROLE shop_owner; CREATE ROLE reader LOGIN; CREATE ROLE writer LOGIN;"
      "CREATE ROLE tenant LOGIN PASSWORD 'md5c0ffeec0ffeec0ffeec0ffeec0ffee00'");
  make(kAnalysts, "other_peoples_objects.sql");
  make(kAttacks, "attack_objects.sql");
}

void Stage::make(const std::string& database, const std::string& script) const {
  Session(server_.url(ScratchServer::kAdmin, "postgres")).need("CREATE DATABASE " + database);
  Session admin(server_.url(ScratchServer::kAdmin, database));
  for (const std::string& name : {std::string("analyst_tables.sql"), script})
    admin.need("BEGIN;" +
               std::regex_replace(text_of(kData + name), std::regex(":database\\b"), database) +
               "COMMIT");
  admin.need("BEGIN;" + sql::WriteDatabase::effects_table("writer") + "COMMIT");
}

sql::WriteRules Stage::rules(const std::string& database) const {
  sql::WriteRules rules;
  rules.tables = {"orders", "customers", "measurements"};
  Session admin(server_.url(ScratchServer::kAdmin, database));
  for (const auto& row : admin
                             .need("SELECT relname FROM pg_class WHERE relname LIKE 'target%' AND "
                                   "relkind IN ('r', 'p', 'v') AND NOT relispartition ORDER BY 1")
                             .rows)
    rules.tables.push_back(row.at(0));
  return rules;
}

MakeJudge Stage::reads(const std::string& database) const {
  return [url = reader(database)] { return judge_of_reads(url); };
}

MakeJudge Stage::writes(const std::string& database) const {
  return [url = writer(database), rules = rules(database)] { return judge_of_writes(url, rules); };
}

Stage& stage() {
  static Stage made;
  return made;
}

}  // namespace ba::hunt
