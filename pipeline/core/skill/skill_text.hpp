#pragma once
// SPDX-License-Identifier: Apache-2.0
// How skills are written for a model. Pure; any thread.

#include <string>
#include <string_view>

namespace ba {

/// With &, <, > and quotes as XML has them.
std::string escaped(std::string_view text);

/// "<name>text</name>" and the end of the line.
std::string element(std::string_view name, std::string_view text);

}  // namespace ba
