#pragma once
// SPDX-License-Identifier: Apache-2.0
// What PostgreSQL's answers mean to us: one table from SQLSTATE (or its first letters) to Error,
// and one from what connections throw to it. Pure functions; any thread.

#include <exception>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba::storage {

/// Error::detail carries the SQLSTATE.
Error error_of_sqlstate(std::string_view sqlstate, std::string message);

/// A connection that could not be made or broke. The text is libpq's.
Error error_of_connection(std::string_view text);

class PgFailure;
Error error_of_failure(const PgFailure& failure);

/// Of a connection, UnfitServer, or any of the standard library: that is a fault of ours.
Error error_of_exception(const std::exception& exception);

/// Whether the same transaction is worth repeating at once, on this or a new connection: lost
/// connection, unknown commit, deadlock, serialization failure, server starting up or going down.
bool repeatable_here(const Error& error);

/// Whether the data of the call was refused, so that the same data is refused again.
bool refuses_data(const Error& error);

/// The same of what intake brings. Not of a row that refers to one which is being removed: that is
/// over by the next try.
bool refuses_record(const Error& error);

}  // namespace ba::storage
