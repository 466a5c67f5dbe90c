#pragma once
// SPDX-License-Identifier: Apache-2.0
// The meta-tool `activate_skill`: reads a skill at one of its levels and lets it hold in the
// conversation. Keyed: a call that runs again is the same activation. Owned by the registry;
// control thread.

#include <functional>
#include <memory>
#include <variant>

#include "pipeline/core/skill/skill_activation.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

/// Where skills are loaded, and activated in the conversation that asks. Control thread only.
class SkillHost {
 public:
  virtual ~SkillHost() = default;

  using Answer = std::variant<SkillActivation, ToolError>;

  /// Answers once, never from inside this call. The same key is the same activation. An error
  /// changes nothing: those of read_skill(). What the stack says of it is looked at when the answer
  /// becomes part of the conversation. Destroying the run cancels it.
  [[nodiscard]] virtual std::unique_ptr<ToolRun> start(SkillRequest request,
                                                       std::function<void(Answer)> done) = 0;
};

class ActivateSkillTool final : public Tool {
 public:
  /// Borrows the host.
  explicit ActivateSkillTool(SkillHost& host);

  const ToolDescriptor& descriptor() const override { return descriptor_; }
  ToolDescriptor& descriptor() { return descriptor_; }  ///< to be changed before registration only
  static ToolDescriptor description();
  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override;

 private:
  SkillHost& host_;
  ToolDescriptor descriptor_;
};

}  // namespace ba
