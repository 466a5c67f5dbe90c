#pragma once
// SPDX-License-Identifier: Apache-2.0
// Letters: texts among the data that tell a model what to call next, and a model that does as it is
// told. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "tests/hostile/attempts.hpp"

namespace ba {

/// Each tells of some calls that must come to nothing, and some of a letter elsewhere.
std::vector<std::string> letters_about(const Overheard& overheard);

/// The calls that a text tells of, of kind Obeyed; the same however the text was encoded.
std::vector<Attempt> told_by(std::string_view observation);

}  // namespace ba
