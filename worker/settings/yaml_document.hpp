#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads back what yaml_encode writes: YAML without anchors, aliases and tags, whose plain scalars
// are null, true, false, numbers as JSON writes them, or else strings. Made for foreign text: size,
// depth and members are bounded as json_document.hpp says. Beside yaml_reader.cpp the only place
// that knows yaml-cpp. Pure functions, any thread.

#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/text/encoding/json_document.hpp"

namespace ba::settings {

/// One document. InvalidArgument names the line and what would be right, LimitExceeded the limit.
Result<OrderedJson> yaml_decode(std::string_view text);

/// The `data` of a document `result:` with `data` and `summary`.
Result<OrderedJson> yaml_decode_result(std::string_view text);

}  // namespace ba::settings
