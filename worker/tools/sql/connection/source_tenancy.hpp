// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a data source does for each tenant: whose jobs may use it, and as which role, with which
// settings, so that a company's own row security decides. It holds for one transaction and is never
// left on a connection. Values; any thread.

#include <map>
#include <string>

namespace ba::sql {

struct SourceTenancy {
  /// What one tenant's statements run with.
  struct Tenant {
    std::string role;                             ///< SET LOCAL ROLE; empty: the login role
    std::map<std::string, std::string> settings;  ///< SET LOCAL name = value, as app.region

    friend bool operator==(const Tenant&, const Tenant&) = default;
  };

  /// Whose jobs may use the source; empty: everybody's.
  std::map<std::string, Tenant> tenants;
  /// A setting that gets the tenant's name, as app.tenant; empty: none.
  std::string tenant_setting;

  friend bool operator==(const SourceTenancy&, const SourceTenancy&) = default;

  bool allows(const std::string& tenant) const {
    return tenants.empty() || tenants.contains(tenant);
  }

  /// Statements of one scope mean the same: the tenant, where it makes a difference.
  std::string scope_of(const std::string& tenant) const {
    return tenants.empty() && tenant_setting.empty() ? std::string() : tenant;
  }
};

/// What makes statements at a data source fail whatever they say.
struct SourceHindrance {
  std::string what;    ///< "the login role can't become role acme of a tenant"
  std::string remedy;  ///< "GRANT acme TO reader"

  std::string text() const { return what + ": " + remedy; }

  friend bool operator==(const SourceHindrance&, const SourceHindrance&) = default;
};

}  // namespace ba::sql
