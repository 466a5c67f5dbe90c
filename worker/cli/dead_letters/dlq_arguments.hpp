#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which dead letters and dead jobs the commands of `ba-agent dlq` are about. Values and functions.

#include <optional>
#include <string>
#include <vector>

#include "storage/dead_letters.hpp"

namespace CLI {
class App;
}

namespace ba {

/// What the commands about dead letters share.
struct DlqArguments {
  std::vector<std::string> ids;
  std::string tenant;  ///< empty: any, and records, which have none
  std::string reason;
  std::optional<Milliseconds> since;
  int rows_max = 100;
  bool json = false;
};

struct DlqRedriveArguments {
  DlqArguments dlq;
  bool dry_run = false;
  std::string edit;  ///< file
  std::optional<int> from_round;
  std::string new_id;
  bool again = false;
  std::string by;
};

/// The options that choose by tenant, reason and age.
void declare_dlq_filter(CLI::App& app, DlqArguments& dlq);

/// Whether there may be more than the command is about.
bool filtered(const DlqArguments& arguments);

/// As the storage is asked for them.
DeadFilter filter_of(const DlqArguments& arguments);

}  // namespace ba
