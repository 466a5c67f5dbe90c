#pragma once
// SPDX-License-Identifier: Apache-2.0
// What `ba-agent encode` does with one document or one line: JSON to an encoding, or back. Pure
// functions, any thread.

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/text/encoding/encoding.hpp"
#include "worker/cli/program/answer_lines.hpp"

namespace ba::cli {

struct EncodeArguments {
  DataEncoding format = DataEncoding::Compact;
  bool decode = false;
  bool jsonl = false;
  std::string name = "tool";  ///< of the tool, in XML
  std::string file;           ///< empty or "-": standard input
  char delimiter = ',';       ///< of TOON; so are the next two
  int indent = 2;
  bool lenient = false;
};

/// Nothing, or which option has no meaning beside the others.
std::optional<std::string> problem_of(const EncodeArguments& arguments);

/// A whole document; the text has no line end behind it but for one that belongs to it.
Result<std::string> convert_document(const EncodeArguments& arguments, std::string_view text);

/// {"id":…,"value":…} to {"id":…,"text":…}, with decode the reverse; or {"id":…,"error":…}.
LineAnswer answer_line(const EncodeArguments& arguments, std::string_view line);

/// {"id":null,"error":…}
LineAnswer refused_line(const std::string& why);

}  // namespace ba::cli
