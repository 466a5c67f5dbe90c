#pragma once
// SPDX-License-Identifier: Apache-2.0
// The directory of one database's artifacts below the configured one, so that databases that share
// this don't take each other's files for orphans.

#include "storage/artifact/artifact_directory.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

/// Makes both where they are missing.
Result<ArtifactDirectory> installation_directory(Session& session, const std::string& configured);

/// To read from only; nothing is made. PermissionDenied for a role that reads some tenants only.
Result<ArtifactDirectory> existing_installation_directory(Session& session,
                                                          const std::string& configured);

}  // namespace ba::storage
