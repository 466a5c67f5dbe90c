// SPDX-License-Identifier: Apache-2.0
#include "storage/artifact/installation_directory.hpp"

namespace ba {
namespace {

constexpr Statement kInstallation{"installation", "SELECT id::text FROM installation"};

}  // namespace

Result<ArtifactDirectory> installation_directory(Session& session, const std::string& configured) {
  const auto id = session.run([](Transaction& transaction) -> Result<std::string> {
    return transaction.run(kInstallation)[0][0].as<std::string>();
  });
  if (!id) return id.error();
  if (auto shared = ArtifactDirectory::open(configured); !shared) return shared.error();
  return ArtifactDirectory::open(configured + "/" + *id);
}

}  // namespace ba
