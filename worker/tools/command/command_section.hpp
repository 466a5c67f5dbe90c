#pragma once
// SPDX-License-Identifier: Apache-2.0
// `tools.execute_command`, read into the tool's own configuration. A function over values of
// its caller; any thread.

#include "worker/tools/command/command_config.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

/// `tools`: the section around it.
void read_command(settings::SectionReader& tools, CommandConfig& command);

}  // namespace ba
