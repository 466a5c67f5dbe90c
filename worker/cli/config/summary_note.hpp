#pragma once
// SPDX-License-Identifier: Apache-2.0
// What `config check` tells of the summaries of long conversations: by which models they are
// written. A pure function.

#include <string>

#include "worker/config/config.hpp"

namespace ba::cli {

/// One line, without an end.
std::string summary_note(const config::Config& config);

}  // namespace ba::cli
