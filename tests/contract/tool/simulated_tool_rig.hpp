#pragma once
// SPDX-License-Identifier: Apache-2.0

#include "tests/contract/tool/status_contract.hpp"

namespace ba {

/// One of the simulation's tools, whose server is asked over a simulated network.
std::unique_ptr<StatusRig> make_simulated_tool_rig(const std::string& name);

}  // namespace ba
