#pragma once
// SPDX-License-Identifier: Apache-2.0
// Who changes something by command: recorded in the ledger, as text for people.

#include <string>

namespace ba {

/// What `--by` says, else the account of this process at this host.
std::string acting_person(const std::string& by);

}  // namespace ba
