#pragma once
// SPDX-License-Identifier: Apache-2.0
// A request's body again, without what a provider refused in it. Pure functions; a body in which
// there is nothing to leave out comes back as it was.

#include <string>
#include <string_view>

namespace ba {

/// Without reasoning items, which only the key and the model that wrote them can read, and without
/// the ids of the items around them, which name reasoning that isn't there any more.
std::string without_reasoning(std::string_view body);

/// Without `include`: models that don't reason refuse to encrypt their reasoning.
std::string without_include(std::string_view body);

}  // namespace ba
