// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/server_needs.hpp"

namespace ba::storage {
namespace {

Error unfit(std::string message) {
  return make_error(ErrorCode::Conflict, "PostgreSQL: " + std::move(message));
}

/// 150018 is 15.18.
std::string text_of(int version_number) {
  return std::to_string(version_number / 10000) + "." + std::to_string(version_number % 10000);
}

}  // namespace

std::optional<Error> unfit_version(int version_number) {
  if (version_number >= kServerVersionMin * 10000) return std::nullopt;
  return unfit("the server has version " + text_of(version_number) +
               ", the ledger needs PostgreSQL " + std::to_string(kServerVersionMin) +
               " or newer: upgrade the server, or correct postgres.url");
}

std::optional<Error> unfit_encoding(std::string_view encoding) {
  if (encoding == "UTF8") return std::nullopt;
  return unfit("the database has the encoding " + std::string(encoding) +
               ", the ledger needs UTF8: create one with CREATE DATABASE … ENCODING 'UTF8' "
               "TEMPLATE template0, or correct postgres.url");
}

}  // namespace ba::storage
