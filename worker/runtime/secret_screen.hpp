#pragma once
// SPDX-License-Identifier: Apache-2.0
// Keeps the secrets of the configuration out of what a job keeps. A model or a tool can repeat one:
// a gateway that echoes the Authorization header, a server's error that quotes its connection
// string, a model that was talked into it. What they answer is cleaned before the core sees it, so
// that no table, topic or prompt ever holds it. Control thread only.

#include <memory>

#include "pipeline/core/model/model_client.hpp"
#include "pipeline/text/secret/redaction.hpp"

namespace ba::runtime {

/// Replies and failures of `inner` without known secrets. Both references outlive it.
std::unique_ptr<ModelClient> screened(ModelClient& inner, const Redaction& secrets);

/// Data and errors of the tool without known secrets. `secrets` outlives it.
std::unique_ptr<Tool> screened(std::unique_ptr<Tool> inner, const Redaction& secrets);

}  // namespace ba::runtime
