#pragma once
// SPDX-License-Identifier: Apache-2.0
// Proves from PostgreSQL's own parse tree that a text is one statement that only reads: a SELECT
// (VALUES, TABLE, WITH and set operations included) or an EXPLAIN of one, made of allow-listed
// node types and fields, that calls no function known to write, wait, look outside the database or
// change from call to call. What can only be known from the database's catalog (functions,
// operators, casts that somebody defined there) is listed in the result for catalog_check.hpp.
// One wall of several: the role, the read-only transaction and the limits stand behind it.
// Pure; any thread. The parser's grammar is that of kParserMajor.

#include <string_view>

#include "pipeline/base/error.hpp"
#include "worker/tools/sql_tree.hpp"
#include "worker/tools/sql_walk.hpp"

namespace ba {

/// InvalidArgument (detail SQL_SYNTAX, SQL_TOO_LONG, SQL_NOT_ONE_STATEMENT) when it can't be read
/// as one statement, PermissionDenied (detail SQL_NOT_ALLOWED) when it does more than read. The
/// message is for a model: it names the construct and what is right instead.
Result<GuardedSql> guard(std::string_view sql, const GuardLimits& limits = {});

}  // namespace ba
