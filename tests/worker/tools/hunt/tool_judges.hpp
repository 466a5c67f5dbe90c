#pragma once
// SPDX-License-Identifier: Apache-2.0
// The guards of the tools as judges. One thread each.

#include <memory>
#include <string>

#include "tests/worker/tools/hunt/judge.hpp"
#include "worker/tools/tools_config.hpp"

namespace ba::hunt {

/// Of query_database, at a data source; throws std::runtime_error where it isn't reached.
std::unique_ptr<Judge> judge_of_reads(const std::string& url);

/// Of database_write, which keeps no results.
std::unique_ptr<Judge> judge_of_writes(const std::string& url, const WriteRules& rules);

/// query_database's answer: its rows as JSON, or "refused" or "error" and why. Makes a session of
/// its own.
std::string answer_of_reads(const std::string& url, const std::string& sql);

}  // namespace ba::hunt
