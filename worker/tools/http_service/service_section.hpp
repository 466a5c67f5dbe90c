#pragma once
// SPDX-License-Identifier: Apache-2.0
// The settings that every HTTP service of a tool has.

#include "worker/settings/section_reader.hpp"
#include "worker/tools/http_service/service_config.hpp"

namespace ba::settings {

void read_service(SectionReader& in, ServiceConfig& service);

}  // namespace ba::settings
