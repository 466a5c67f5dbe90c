#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the command line means by a name: a job, or another thing of a tenant (a conversation, a
// report), which may be written TENANT/NAME, too. A tenant has no "/", a name may. Blocking; any
// thread.

#include <optional>
#include <string>
#include <utility>

#include "pipeline/base/error.hpp"
#include "storage/control.hpp"
#include "worker/cli/program/terminal.hpp"

namespace ba::cli {

/// With a tenant, `text` is the id. Without one it is an id of tenant "default" or, if that has no
/// such job, TENANT/JOB where there is one. Conflict if both are there: guessing could cancel the
/// wrong one. Looks at the schema (check_ledger()), but not before the text can be an id.
Result<storage::JobName> named_job(const storage::PgAccess& access, const std::string& text,
                                   const std::string& tenant);

inline constexpr const char* kDefaultTenant = "default";

template <class T>
struct NamedThing {
  std::string tenant;
  std::string name;  ///< without the tenant
  T thing;
};

inline Error may_be_either(const std::string& text, const std::string& tenant,
                           const std::string& other) {
  Error error = usage_error("\"" + text + "\" may be of tenant \"" + tenant + "\" or of \"" +
                            other + "\": say which with --tenant");
  error.code = ErrorCode::Conflict;
  return error;
}

/// Of TENANT/NAME; none: the text isn't written so.
inline std::optional<std::pair<std::string, std::string>> tenant_and_name(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size()) return std::nullopt;
  return std::pair(text.substr(0, slash), text.substr(slash + 1));
}

/// The tenant and name by which errors call what wasn't found: as it was written.
inline std::pair<std::string, std::string> meant_by(const std::string& text,
                                                    const std::string& tenant) {
  if (!tenant.empty()) return {tenant, text};
  return tenant_and_name(text).value_or(std::pair<std::string, std::string>(kDefaultTenant, text));
}

/// `find(tenant, name)` answers Result<std::optional<T>>. With a tenant, `text` is the name.
/// Without one it is of tenant "default" or, if nothing is found there, TENANT/NAME; Conflict if
/// both are there. None: nothing is found.
template <class T, class Find>
Result<std::optional<NamedThing<T>>> found_by_name(const std::string& text,
                                                   const std::string& tenant, const Find& find) {
  using Found = std::optional<NamedThing<T>>;
  const std::string first = tenant.empty() ? kDefaultTenant : tenant;
  Result<std::optional<T>> plain = find(first, text);
  if (!plain) return plain.error();
  if (const auto full = tenant_and_name(text); full && tenant.empty()) {
    const auto& [second, name] = *full;
    Result<std::optional<T>> other = find(second, name);
    if (!other) return other.error();
    if (*plain && *other) return may_be_either(text, first, second);
    if (*other) return Found(NamedThing<T>{second, name, std::move(**other)});
  }
  if (*plain) return Found(NamedThing<T>{first, text, std::move(**plain)});
  return Found();
}

}  // namespace ba::cli
