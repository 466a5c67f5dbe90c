#pragma once
// SPDX-License-Identifier: Apache-2.0
// JSON in its one canonical form, as bytes to be hashed: RFC 8785 (JSON Canonicalization Scheme).
// Members by the UTF-16 code units of their names, numbers as ECMAScript writes them, no white
// space. Pure; any thread.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ba {

/// How whole numbers beyond 2^53 are written, which a double can't tell apart.
enum class WideIntegers {
  AsDoubles,  ///< RFC 8785: 9007199254740993 is 9007199254740992
  Exact,      ///< each with its own digits, for keys of calls whose arguments are 64 bits wide
};

/// `value` holds valid UTF-8 and no NaN or infinity, as everything does that was parsed from JSON.
std::string canonical_json(const nlohmann::ordered_json& value,
                           WideIntegers wide = WideIntegers::AsDoubles);

}  // namespace ba
