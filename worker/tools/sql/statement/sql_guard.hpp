#pragma once
// SPDX-License-Identifier: Apache-2.0
// Proves from PostgreSQL's own parse tree that a text is one statement that only reads: a SELECT
// (VALUES, TABLE, WITH and set operations included) or an EXPLAIN of one, made of allow-listed
// node types and fields, that calls no function known by its name to write, wait or look outside
// the database. The first of several walls: what names stand for, the server says
// (resolved/statement_judge.hpp); the role, the read-only transaction and the limits stand behind.
// Pure; any thread. The parser's grammar is that of kParserMajor.

#include <string_view>

#include "pipeline/base/error.hpp"
#include "worker/tools/sql/statement/sql_tree.hpp"
#include "worker/tools/sql/statement/sql_walk.hpp"

namespace ba {

/// InvalidArgument (detail SQL_SYNTAX, SQL_TOO_LONG, SQL_NOT_ONE_STATEMENT) when it can't be read
/// as one statement, PermissionDenied (detail SQL_NOT_ALLOWED) when it does more than read. The
/// message is for a model: it names the construct and what is right instead.
Result<GuardedSql> guard(std::string_view sql, const GuardLimits& limits = {});

}  // namespace ba
