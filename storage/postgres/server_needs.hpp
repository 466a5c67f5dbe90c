#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the ledger needs of the server, whoever connects: each session looks at it when it begins.
// Pure.

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba::storage {

/// Views that run with the rights of who asks are of this version (migrations/V011).
inline constexpr int kServerVersionMin = 15;

/// `version_number` as libpq tells it: 150018. None where it will do.
std::optional<Error> unfit_version(int version_number);

/// `encoding`: the database's, "UTF8". None where it will do.
std::optional<Error> unfit_encoding(std::string_view encoding);

/// Conflict: what is to be changed is not in this program.
class UnfitServer : public std::runtime_error {
 public:
  explicit UnfitServer(Error error) : std::runtime_error(error.message), error_(std::move(error)) {}
  const Error& error() const { return error_; }

 private:
  Error error_;
};

}  // namespace ba::storage
