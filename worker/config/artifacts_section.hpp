#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `tools.artifacts` into the configuration of artifacts.

#include "pipeline/core/artifact/artifact_keeper.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

/// `tools`: the section around it.
void read_artifacts(settings::SectionReader& tools, ArtifactConfig& artifacts);

}  // namespace ba
