#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `retention`: how long the ledger keeps what is done with. Values.

#include "pipeline/core/ledger/retention.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

struct RetentionConfig {
  RetentionRules rules;
  Milliseconds interval{60'000};  ///< between two looks for what is old enough

  friend bool operator==(const RetentionConfig&, const RetentionConfig&) = default;
};

void read_retention(settings::SectionReader& in, RetentionConfig& retention);

}  // namespace ba
