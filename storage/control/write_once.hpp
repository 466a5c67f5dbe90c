#pragma once
// SPDX-License-Identifier: Apache-2.0
// One writing transaction on a connection of its own, for what people change by command. Blocks.

#include "storage/postgres/rows.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

template <typename Work>
auto write_once(const PgAccess& access, Work&& work) {
  SessionOptions options;
  options.access = access;
  const Stop stop;
  return Session(std::move(options), stop).run(work);
}

}  // namespace ba::storage
