#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which dead letters and dead jobs a command is about. Functions.

#include "storage/dead_letters.hpp"
#include "worker/cli/program/arguments.hpp"

namespace ba {

/// Whether there may be more than the command is about.
inline bool filtered(const DlqArguments& arguments) {
  return !arguments.tenant.empty() || !arguments.reason.empty() || arguments.since.has_value();
}

/// As the storage is asked for them.
inline DeadFilter filter_of(const DlqArguments& arguments) {
  DeadFilter filter;
  filter.ids = arguments.ids;
  filter.tenant = arguments.tenant;
  filter.reason = arguments.reason;
  filter.newer_than = arguments.since;
  filter.rows_max = arguments.rows_max;
  return filter;
}

}  // namespace ba
