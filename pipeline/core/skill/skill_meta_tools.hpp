#pragma once
// SPDX-License-Identifier: Apache-2.0
// The meta-tools that begin and end skills. Keyed: a call that runs again is the same activation.
// Owned by the registry; control thread.

#include <functional>
#include <memory>
#include <variant>

#include "pipeline/core/port/executor.hpp"
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

/// `activate_skill`: reads a skill at one of its levels and lets it hold in the conversation.
class ActivateSkillTool final : public Tool {
 public:
  /// Borrows the host.
  explicit ActivateSkillTool(SkillHost& host) : host_(host) {}

  const ToolDescriptor& descriptor() const override { return descriptor_; }
  ToolDescriptor& descriptor() { return descriptor_; }  ///< to be changed before registration only
  static ToolDescriptor description();
  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override;

 private:
  SkillHost& host_;
  ToolDescriptor descriptor_ = description();
};

/// What a call of `deactivate_skill` names.
struct SkillEnd {
  std::string name;
  std::string activation_id;
};

/// Of arguments that the tool's schema has let through.
SkillEnd skill_end_of(const std::string& args_json);

/// `deactivate_skill`: says that a skill is done. It only takes the words; the conversation pops
/// its stack when the result becomes part of it.
class DeactivateSkillTool final : public Tool {
 public:
  /// Borrows the executor.
  explicit DeactivateSkillTool(Executor& executor) : executor_(executor) {}

  const ToolDescriptor& descriptor() const override { return descriptor_; }
  ToolDescriptor& descriptor() { return descriptor_; }  ///< to be changed before registration only
  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override;
  static ToolDescriptor description();

 private:
  Executor& executor_;
  ToolDescriptor descriptor_ = description();
};

}  // namespace ba
