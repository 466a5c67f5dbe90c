// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/parts/model_parts.hpp"

#include "worker/config/exact_counting.hpp"
#include "worker/llm/llm_client.hpp"
#include "worker/llm/llm_counter.hpp"
#include "worker/runtime/secret_screen.hpp"

namespace ba {

Result<void> ModelParts::build(WorkerBasis& basis) {
  ProcessParts& process = basis.process;
  const Config& config = basis.config;
  const LlmPorts ports{process.executor, process.clock, process.random, *process.http,
                       &basis.prices};
  auto made = ConfiguredMeter::of(basis.loaded);
  if (!made) return made.error();
  meter_ = std::move(*made);
  auto client = make_llm_client(config.llm, ports);
  if (!client) return client.error();
  models_ = std::move(client.value());
  screened_ = screened(*models_, basis.secrets);
  CountingModels counting{config.llm, exact_count_apis(basis.loaded),
                          config.context.exact_counting_timeout};
  auto counts = make_llm_counter(std::move(counting), ports);
  if (!counts) return counts.error();
  counter_ = std::move(counts.value());
  if (basis.decorators.models) decorated_ = basis.decorators.models(*screened_, process.executor);
  used_ = decorated_ ? decorated_.get() : screened_.get();
  return {};
}

}  // namespace ba
