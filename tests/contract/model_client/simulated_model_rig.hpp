#pragma once
// SPDX-License-Identifier: Apache-2.0

#include "tests/contract/model_client/model_client_contract.hpp"

namespace ba {

/// The simulation's client, which asks its model over a simulated network.
std::unique_ptr<ModelClientRig> make_simulated_model_rig();

}  // namespace ba
