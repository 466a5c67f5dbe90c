#pragma once
// SPDX-License-Identifier: Apache-2.0
// The guards of the tools as judges. One thread each.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "tests/worker/tools/sql/hunt/judge.hpp"
#include "worker/tools/sql/sql_config.hpp"

namespace ba::hunt {

/// Of query_database, at a data source; throws std::runtime_error where it isn't reached.
/// What it knows of the database's types is no older than `age_max`.
std::unique_ptr<Judge> judge_of_reads(const std::string& url,
                                      std::chrono::seconds age_max = std::chrono::seconds(60));

/// Of database_write, which keeps no results.
std::unique_ptr<Judge> judge_of_writes(const std::string& url, const sql::WriteRules& rules);

/// query_database's answers, of one session: the rows as JSON, or "refused" or "error" and why.
std::function<std::string(const std::string& sql)> tool_of_reads(const std::string& url);

/// database_write's, once, and committed.
std::string answer_of_writes(const sql::WriteSourceConfig& source, const std::string& sql);

}  // namespace ba::hunt
