#pragma once
// SPDX-License-Identifier: Apache-2.0
// JSON in its one canonical form, as bytes to be hashed: RFC 8785 (JSON Canonicalization Scheme).
// Members by the UTF-16 code units of their names, numbers as ECMAScript writes them, no white
// space. Pure; any thread.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ba {

/// How numbers are written that a double can't tell apart.
enum class WideIntegers {
  AsDoubles,  ///< RFC 8785: 9007199254740993 is 9007199254740992
  Exact,      ///< by their exact value as it was written, for keys of calls: 1, 1.0 and 10e-1 are
          ///< one number; 0.1 and 0.10000000000000001 are two, and so are any two beyond 64 bits
};

/// `value` holds valid UTF-8 and no NaN or infinity, as everything does that was parsed from JSON.
std::string canonical_json(const nlohmann::ordered_json& value,
                           WideIntegers wide = WideIntegers::AsDoubles);

}  // namespace ba
