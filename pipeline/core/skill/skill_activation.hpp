#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is asked of a skill, and what its activation brings into a conversation. Values.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/ids.hpp"

namespace ba {

/// How much of a skill is read (Agent Skills: progressive disclosure).
enum class SkillLevel {
  Description = 1,   ///< its name and what it is for
  Instructions = 2,  ///< the body of SKILL.md
  Resources = 3,     ///< one of its files, or the list of them
};

struct SkillRequest {
  std::string name;
  SkillLevel level = SkillLevel::Instructions;
  std::string resource;           ///< at level Resources: the file; empty: the list of files
  std::string parameters = "{}";  ///< JSON object, for the skill
  LedgerJobId job;                ///< in whose conversation
  std::string key;                ///< the call's idempotency key
};

enum class SkillMessageKind { Metadata, Instruction, Permissions };
enum class SkillVisibility { Visible, Hidden };

struct SkillMessage {
  SkillMessageKind kind = SkillMessageKind::Instruction;
  std::string content;
  SkillVisibility visibility = SkillVisibility::Visible;

  friend bool operator==(const SkillMessage&, const SkillMessage&) = default;
};

/// What holds while the skill is active.
struct ContextModifier {
  std::optional<std::vector<std::string>> allowed_tools;  ///< none: all that there were
  std::string model;                                      ///< of the next steps; empty: no other
  bool disable_model_invocation = false;                  ///< only a job may activate it

  friend bool operator==(const ContextModifier&, const ContextModifier&) = default;
};

struct SkillActivation {
  std::string activation_id;  ///< empty: it is not active, it was only read
  std::string skill_name;
  std::vector<SkillMessage> messages;
  ContextModifier modifier;
  bool activates = true;  ///< false: it is read, and changes nothing

  friend bool operator==(const SkillActivation&, const SkillActivation&) = default;
};

/// {"activation_id" (null: not active), "skill_name", "messages": [{"type", "content",
/// "visibility"}], "context_modifier", "success": true, "error": null}.
std::string activation_json(const SkillActivation& activation);

}  // namespace ba
