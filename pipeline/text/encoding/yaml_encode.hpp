#pragma once
// SPDX-License-Identifier: Apache-2.0
// YAML in block style that readers of YAML 1.1 (PyYAML) and of 1.2 take for the same value: a
// string is quoted wherever either could take it for anything else. Pure function, any thread.

#include <string>

#include "pipeline/text/encoding/json_document.hpp"

namespace ba {

/// Of a value nested at most kEncodedDepthMax deep; with a line end behind the last line only
/// where it belongs to a literal block.
/// Several lines of text are a literal block, integers and doubles are exact, and what isn't ASCII
/// stands as it is unless YAML can't hold it.
std::string yaml_encode(const OrderedJson& value);

/// The document `result:` with `data` and `summary`.
std::string yaml_encode_result(const OrderedJson& data, const std::string& summary);

}  // namespace ba
