// SPDX-License-Identifier: Apache-2.0
#include "storage/artifact/installation_directory.hpp"

namespace ba::storage {
namespace {

constexpr Statement kInstallation{"installation", "SELECT id::text AS id FROM installation"};

Result<std::string> installation_id(Session& session) {
  return session.run([](Transaction& transaction) -> Result<std::string> {
    const auto rows = transaction.run(kInstallation);
    if (!rows.empty()) return rows[0].text("id");
    return make_error(ErrorCode::PermissionDenied,
                      "this role of the database may not know where the files of artifacts are");
  });
}

}  // namespace

Result<ArtifactDirectory> installation_directory(Session& session, const std::string& configured) {
  const auto id = installation_id(session);
  if (!id) return id.error();
  if (auto shared = ArtifactDirectory::open(configured); !shared) return shared.error();
  return ArtifactDirectory::open(configured + "/" + *id);
}

Result<ArtifactDirectory> existing_installation_directory(Session& session,
                                                          const std::string& configured) {
  const auto id = installation_id(session);
  if (!id) return id.error();
  return ArtifactDirectory::open_existing(configured + "/" + *id);
}

}  // namespace ba::storage
