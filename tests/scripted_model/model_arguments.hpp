#pragma once
// SPDX-License-Identifier: Apache-2.0
// Fills the templates inside the arguments of a scripted tool call. Pure function.

#include <optional>
#include <string>

#include "tests/scripted_model/template.hpp"

namespace ba::scripted {

/// Every string of the JSON text is a template; none if one has no value.
std::optional<std::string> fill_arguments(const std::string& json, const Scope& scope);

}  // namespace ba::scripted
