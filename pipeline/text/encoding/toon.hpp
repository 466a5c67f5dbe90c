#pragma once
// SPDX-License-Identifier: Apache-2.0
// TOON, Token-Oriented Object Notation, by specification 4.0 (toon-spec: 4.0): JSON's values in
// lines, where tables name their columns once. Numbers: integers of 64 bits and doubles, exactly;
// whole doubles are written as integers and -0 as 0, as §2 asks, infinity as null. Pure functions
// of text; any thread. Comments are read and never written; keys aren't folded.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/text/encoding/json_document.hpp"

namespace ba {

struct ToonWriting {
  char delimiter = ',';  ///< or '\t' or '|'
  int indent = 2;        ///< spaces for each level, at least 1
};

struct ToonReading {
  int indent = 2;
  /// False: counts, indentation and repeated names aren't checked (the last one of a name counts);
  /// a tab indents by one level; a row may lack its last cells, which are null.
  bool strict = true;
};

/// Of a value nested at most kEncodedDepthMax deep. Without a line end behind the last line; an
/// empty object is an empty text.
std::string toon_encode(const OrderedJson& value, const ToonWriting& writing = {});

/// The reverse. InvalidArgument names the line and what would be right, LimitExceeded the limit
/// (json_document.hpp). So it does of a number beyond those of base/decimal.hpp; others stay as
/// they are written.
Result<OrderedJson> toon_decode(std::string_view text, const ToonReading& reading = {});

}  // namespace ba
