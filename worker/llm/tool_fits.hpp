#pragma once
// SPDX-License-Identifier: Apache-2.0
// What providers take of tools: a tool's schema in a provider's form, and the adapter of the port
// ToolOffers, by the rules of each model's provider. What was found out about a schema is
// remembered: a job costs look-ups only. Owned by the process; control thread only.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/core/model/tool_offers.hpp"
#include "worker/llm/llm_config.hpp"
#include "worker/llm/tool_rules.hpp"

namespace ba::llm {

// A tool's schema as a provider takes it: the same where it fits, else rewritten so that it means
// the same or allows more. What a model gives is checked against the tool's own schema all the
// same. Pure; any thread.

inline constexpr std::size_t kSentSchemaBytesMax = 256 * 1024;
inline constexpr std::size_t kReadSchemaBytesMax = 1024 * 1024;

struct FittedSchema {
  std::string
      schema;        ///< compact JSON; empty: none is sent, which says that there are no parameters
  std::string note;  ///< what the schema can't say, for the tool's description; mostly empty
  std::string fault;  ///< why there is none; for people
};

/// `schema` is JSON of the limits of json_shape.hpp. The same bytes for the same arguments.
FittedSchema fitted_schema(std::string_view schema, const ToolRules& rules);

class ToolFits final : public ToolOffers {
 public:
  /// `tell` hears of each tool that is left out for a model, once.
  using Tell = std::function<void(const LeftOutTool&)>;
  explicit ToolFits(LlmConfig config, Tell tell = {})
      : config_(std::move(config)), tell_(std::move(tell)) {}

  /// A model that isn't configured is offered the tools as they are.
  ToolOffer offer(const std::string& model, const ToolSpecList& tools,
                  const std::vector<std::string>& first) override;

 private:
  /// An offer that was made. It holds the list it was asked with, so that no other can be it.
  struct Made {
    std::string model;
    ToolSpecList tools;
    std::vector<std::string> first;
    ToolOffer offer;
  };

  ToolOffer made(const std::string& model, const ToolSpecList& tools,
                 const std::vector<std::string>& first);
  const FittedSchema& fitted(const std::string& schema, const ToolRules& rules);

  void tell_once(const std::vector<LeftOutTool>& left_out);

  const LlmConfig config_;
  const Tell tell_;
  std::set<std::pair<std::string, std::string>> told_;  ///< tool and model
  std::map<std::pair<const ToolRules*, std::string>, FittedSchema> known_;
  std::size_t known_bytes_ = 0;  ///< of known_, at most kKnownBytesMax
  std::vector<Made> made_;       ///< at most kMadeMax; jobs of an agent share list and offer
};

}  // namespace ba::llm
