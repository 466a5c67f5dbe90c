#pragma once
// SPDX-License-Identifier: Apache-2.0
// A schema that refers to nothing: what `$ref` names stands in its place, as deep as the limits
// allow. Pure; any thread.

#include <nlohmann/json_fwd.hpp>

namespace ba {

/// Also without `$schema`, `$id`, `$defs` and other keywords that only say where things are. What a
/// reference names that leads to itself, elsewhere, or too far may be anything (of its type, where
/// that is known).
nlohmann::ordered_json without_references(const nlohmann::ordered_json& root);

}  // namespace ba
