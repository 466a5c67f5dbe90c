#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a model can be offered of a conversation's tools, as a port: its provider may not take each
// as it is, nor any number of them. The adapter is in worker/llm. Control thread only.

#include <string>
#include <vector>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/core/tool/tool_spec_list.hpp"

namespace ba {

enum class LeftOutReason {
  Name,     ///< its name is none for the provider
  Schema,   ///< its schema can't be written so that the provider takes it
  TooMany,  ///< the provider takes fewer tools, and others come first
};
inline constexpr EnumNames<LeftOutReason, 3> kLeftOutReasonNames{
    {{LeftOutReason::Name, "name"},
     {LeftOutReason::Schema, "schema"},
     {LeftOutReason::TooMany, "too_many"}}};

struct LeftOutTool {
  std::string tool;
  std::string model;
  LeftOutReason reason = LeftOutReason::Schema;
  std::string why;  ///< for people: what the provider doesn't take

  friend bool operator==(const LeftOutTool&, const LeftOutTool&) = default;
};

struct ToolOffer {
  ToolSpecList tools;                 ///< in the order given, as the model's provider takes them
  std::vector<LeftOutTool> left_out;  ///< likewise; the model knows nothing of these

  friend bool operator==(const ToolOffer&, const ToolOffer&) = default;
};

class ToolOffers {
 public:
  virtual ~ToolOffers() = default;

  /// `first`: names of tools in the order in which they are kept where there are too many; those
  /// that it doesn't name come after these. The same bytes for the same arguments.
  virtual ToolOffer offer(const std::string& model, const ToolSpecList& tools,
                          const std::vector<std::string>& first) = 0;
};

}  // namespace ba
