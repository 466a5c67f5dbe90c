// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/model_client/simulated_model_rig.hpp"

#include "tests/simulation/checker.hpp"
#include "tests/simulation/model.hpp"
#include "tests/worker/llm/llm_messages.hpp"

namespace ba {
namespace {

using namespace sim;

class SimulatedRig final : public ModelClientRig {
 public:
  SimulatedRig() {
    checker_.watch(database_, group_);
    request_.human(message_text(plan_.jobs.front().job, 0));
  }
  ~SimulatedRig() override { world_.close(); }

  ModelClient& client() override { return client_; }
  const ModelRequest& request() override { return request_.get(); }
  void lose_replies(bool lose) override { link_.answer_lost_permille = lose ? 1000 : 0; }
  int paid() const override { return checker_.paid(0); }
  bool run_until(const std::function<bool()>& reached) override {
    while (!reached())
      if (!world_.run_one()) return false;
    return true;
  }
  void settle() override {
    while (world_.run_one()) {
    }
  }

 private:
  static Plan one_job() {
    PlannedJob job;
    job.job.tenant = TenantId("acme");
    job.job.job_id = JobId("job");
    job.job.messages = {"q"};
    job.rounds.push_back({ScriptedStep{}});
    Plan plan;
    plan.jobs.push_back(std::move(job));
    return plan;
  }

  World world_{1, false};
  const Scenario scenario_;
  const Plan plan_ = one_job();
  Checker checker_{world_, scenario_, plan_};
  Database database_{world_, scenario_, Mutant::None, checker_};
  Group group_{world_, scenario_, JobTopics(), checker_};
  Model model_{world_, scenario_, plan_, checker_};
  LinkFaults link_;
  Process process_{world_, ProcessTraits{}, [] {}};
  llm::TestRequest request_;
  ModelConnection client_{world_, process_, model_, link_, checker_};
};

}  // namespace

std::unique_ptr<ModelClientRig> make_simulated_model_rig() {
  return std::make_unique<SimulatedRig>();
}

}  // namespace ba
