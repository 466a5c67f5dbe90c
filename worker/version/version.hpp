#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which program this is; filled in when the build is configured. Constants.

#include <string_view>

namespace ba {

std::string_view program_version();  ///< "0.2.0"
std::string_view program_commit();   ///< as git describes it; "unknown" outside of a checkout

}  // namespace ba
