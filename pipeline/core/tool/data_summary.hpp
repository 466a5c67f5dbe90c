#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a tool's data is, in a line: what is recorded of a result, and what stands beside the data
// in YAML and XML. Pure function, any thread.

#include <string>

#include "pipeline/text/encoding/json_document.hpp"

namespace ba {

/// "List with N items. First item keys: […]", "Dictionary with N keys. Top keys: …", or the first
/// 200 code points of anything else.
std::string data_summary(const OrderedJson& data);

/// The same of an array that has `items`, of which the first are given.
std::string array_summary(const OrderedJson& first, std::size_t items);

/// A string bare, anything else as compact JSON on one line.
std::string bare_text(const OrderedJson& value);

}  // namespace ba
