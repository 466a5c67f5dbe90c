#pragma once
// SPDX-License-Identifier: Apache-2.0
// A place within JSON, as RFC 9535 (JSONPath) writes it, of which the selectors by name, by index
// and the wildcard are known: $.rows[0].name, $['two words'], $.rows[*].name, $.rows[-1]. A path
// with a wildcard gives the array of all that it meets. Pure; any thread.

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba {

/// What is at that place. InvalidArgument for a path that can't be read, NotFound for one that
/// leads nowhere; messages are for a model and say what there is instead.
Result<nlohmann::ordered_json> select_json(const nlohmann::ordered_json& document,
                                           std::string_view path);

}  // namespace ba
