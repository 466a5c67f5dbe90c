#pragma once
// SPDX-License-Identifier: Apache-2.0
// A schema that refers to nothing: what `$ref` names stands in its place, as deep as the limits
// allow. Pure; any thread.

#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace ba {

/// Also without `$schema`, `$id`, `$defs` and other keywords that only say where things are. What a
/// reference names that leads elsewhere may be anything; one that leads to itself is filled in
/// `levels` times more, and then, or too far down, may be anything of its types. Below 0: less is
/// filled in of all references, too. None: it would have more schemas than are looked at.
std::optional<nlohmann::ordered_json> without_references(const nlohmann::ordered_json& root,
                                                         int levels);

}  // namespace ba
