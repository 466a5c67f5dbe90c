#pragma once
// SPDX-License-Identifier: Apache-2.0
// From the configuration to what each part is made with.

#include "pipeline/core/tool/tool_runtime.hpp"
#include "pipeline/text/contract/publication.hpp"
#include "worker/config/config.hpp"
#include "worker/driver/incarnation.hpp"
#include "worker/observe/log_settings.hpp"
#include "worker/runtime/trace_exporter.hpp"
#include "worker/runtime/tracing_observer.hpp"

namespace ba {

Publication publication_of(const Config& config);
PgOptions storage_options_of(const Config& config);
IncarnationOptions incarnation_options_of(const Config& config);
LogSettings log_settings_of(const Config& config);
TracingOptions tracing_options_of(const Config& config);
TraceExporterOptions trace_exporter_options_of(const Config& config);

}  // namespace ba
