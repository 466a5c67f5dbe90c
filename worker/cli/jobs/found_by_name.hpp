#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which tenant's thing (a conversation, a report) the command line means by a name, for what may be
// written TENANT/NAME, too. A tenant has no '/', a name may. Blocking; any thread.

#include <optional>
#include <string>
#include <utility>

#include "pipeline/base/error.hpp"
#include "worker/cli/program/exit_code.hpp"

namespace ba {

inline constexpr const char* kDefaultTenant = "default";

template <class T>
struct NamedThing {
  std::string tenant;
  std::string name;  ///< without the tenant
  T thing;
};

inline Error may_be_either(const std::string& text, const std::string& tenant,
                           const std::string& other) {
  Error error = invalid_argument("\"" + text + "\" may be of tenant \"" + tenant + "\" or of \"" +
                                 other + "\": say which with --tenant");
  error.code = ErrorCode::Conflict;
  error.detail = kUsageDetail;
  return error;
}

/// The tenant and name by which errors call what wasn't found: as it was written.
inline std::pair<std::string, std::string> meant_by(const std::string& text,
                                                    const std::string& tenant) {
  if (!tenant.empty()) return {tenant, text};
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size())
    return {kDefaultTenant, text};
  return {text.substr(0, slash), text.substr(slash + 1)};
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
  const std::size_t slash = text.find('/');
  if (tenant.empty() && slash != std::string::npos && slash > 0 && slash + 1 < text.size()) {
    const std::string second = text.substr(0, slash);
    const std::string name = text.substr(slash + 1);
    Result<std::optional<T>> other = find(second, name);
    if (!other) return other.error();
    if (*plain && *other) return may_be_either(text, first, second);
    if (*other) return Found(NamedThing<T>{second, name, std::move(**other)});
  }
  if (*plain) return Found(NamedThing<T>{first, text, std::move(**plain)});
  return Found();
}

}  // namespace ba
