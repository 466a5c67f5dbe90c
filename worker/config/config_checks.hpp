#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is wrong with the settings as a whole, once each section is read: what adapters say of
// theirs, and what concerns more than one. Called by load_config(). One thread.

#include "worker/config/config.hpp"

namespace ba::config {

/// Adds to the findings, each with the place it comes from; a default that doesn't fit what was set
/// is made to.
void check_whole(LoadedConfig& loaded);

}  // namespace ba::config
