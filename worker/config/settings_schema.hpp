#pragma once
// SPDX-License-Identifier: Apache-2.0
// The configuration file as a JSON Schema, for editors that complete and check YAML by one. Made of
// what the readers of the sections ask for, so that it can't say anything else. Any thread.

#include <string>

namespace ba::config {

/// JSON Schema, draft 7 (https://json-schema.org/draft-07), indented by 2. Keys, types, bounds,
/// names of closed sets and defaults; what depends on other values is for `config check`.
std::string settings_schema();

}  // namespace ba::config
