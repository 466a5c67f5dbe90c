#pragma once
// SPDX-License-Identifier: Apache-2.0
// YAML as JSON text: maps keep their order, plain scalars become null, booleans or numbers where
// they look like it, quoted ones stay strings. Pure function.

#include <string>

#include "pipeline/base/error.hpp"

namespace ba::scripted {

/// JSON, being YAML, may be given as well.
Result<std::string> yaml_to_json(const std::string& yaml);

}  // namespace ba::scripted
