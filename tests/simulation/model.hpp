#pragma once
// SPDX-License-Identifier: Apache-2.0
// The simulated model: says what the plan has for each step, in other words at each call, counts
// every call that arrives (all are paid but those that it refuses as too long), is slow, fails, or
// is never heard. The client keeps the rules of worker/llm: it announces a lost call and repeats it
// when it may.

#include "pipeline/core/model/model_client.hpp"
#include "pipeline/core/skill/skill_meta_tools.hpp"
#include "tests/simulation/network.hpp"
#include "tests/simulation/plan.hpp"

namespace ba::sim {

class Checker;

/// The model that writes summaries.
inline constexpr const char* kSummarizer = "summarizer";

/// What a request asks for, read off its last human message.
struct ModelQuestion {
  int job = -1;   ///< of the plan
  int round = 0;  ///< of the job, or of its sub-agent
  int step = 1;
  std::optional<Position> asked_by;  ///< of a sub-agent of the job: the call
  /// Of what one compression dropped: where it is on record; round -1: nowhere, -2: nobody knows.
  std::optional<Position> summary;
  std::string artifact;          ///< the last one that a call of the job has told
  std::vector<SkillEnd> skills;  ///< that are active, as far as it tells of them
  std::int64_t tokens = 0;       ///< of all of it, as the workers count
  std::int64_t window = 0;       ///< that the model really has, where it is narrow
};

class Model {
 public:
  Model(World& world, const Scenario& scenario, const Plan& plan, Checker& checker);

  ModelQuestion question_of(const ModelRequest& request) const;
  void ask(ModelQuestion question, Process& from, const Reply<ModelOutcome>& reply);
  void calm_down() { calm_ = true; }
  bool calm() const { return calm_; }

 private:
  std::optional<ModelReply> too_long(const ModelQuestion& question) const;
  ModelReply reply_to(const ModelQuestion& question);
  ScriptedStep step_of(const ModelQuestion& question) const;

  World& world_;
  const Scenario& scenario_;
  const Plan& plan_;
  Checker& checker_;
  std::map<std::string, int> jobs_;  ///< by "<tenant>/<job>"
  std::int64_t calls_ = 0;
  bool calm_ = false;
};

class ModelConnection final : public ModelClient {
 public:
  ModelConnection(World& world, Process& process, Model& model, const LinkFaults& link,
                  Checker& checker)
      : world_(world), process_(process), model_(model), link_(link), checker_(checker) {}

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, ModelListener listener) override;

 private:
  class Call;
  World& world_;
  Process& process_;
  Model& model_;
  const LinkFaults& link_;
  Checker& checker_;
};

}  // namespace ba::sim
