#pragma once
// SPDX-License-Identifier: Apache-2.0
// From the configuration to what each part is made with.

#include <map>
#include <memory>
#include <string>

#include "pipeline/core/context/context_view.hpp"
#include "pipeline/core/tool/registry.hpp"
#include "pipeline/core/tool/tool_runtime.hpp"
#include "pipeline/text/contract/publication.hpp"
#include "worker/config/config.hpp"
#include "worker/config/text_counter.hpp"
#include "worker/driver/agent_directory.hpp"
#include "worker/driver/incarnation.hpp"
#include "worker/observe/structured_log.hpp"
#include "worker/runtime/trace_exporter.hpp"
#include "worker/runtime/tracing_observer.hpp"

namespace ba::runtime {

Publication publication_of(const config::Config& config);
storage::PgOptions storage_options_of(const config::Config& config);
driver::IncarnationOptions incarnation_options_of(const config::Config& config);
observe::LogSettings log_settings_of(const config::Config& config);
TracingOptions tracing_options_of(const config::Config& config);
TraceExporterOptions trace_exporter_options_of(const config::Config& config);

/// From configured agent profiles to what jobs run as. InvalidArgument when a profile names a model
/// or a tool that there is not. `price_reading`: of the configuration (PriceBook).
Result<driver::AgentDirectory> make_agent_directory(const config::Config& config,
                                                    const ToolRegistry& tools,
                                                    int price_reading = -1);

/// Counts tokens of texts as the configuration says of each model. One thread.
class ConfiguredMeter final : public TokenMeter {
 public:
  /// Fails where a model's file of a tokenizer can't be used.
  static Result<std::unique_ptr<ConfiguredMeter>> of(const config::LoadedConfig& loaded);

  std::int64_t count(const std::string& model, std::string_view text) override;
  std::int64_t margin_millionths(const std::string& model) const override;

 private:
  struct Model {
    config::TextCounter count;
    std::int64_t margin_millionths = 1'000'000;
  };

  std::map<std::string, Model> models_;  ///< by the configured name
};

}  // namespace ba::runtime
