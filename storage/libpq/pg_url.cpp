// SPDX-License-Identifier: Apache-2.0
#include "storage/libpq/pg_url.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace ba::storage {
namespace {

constexpr std::string_view kSchemes[] = {"postgresql://", "postgres://"};

bool is_alnum(char letter) {
  return letter > 0 && std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

/// Letters, digits, %XX and those of `marks`.
bool is_made_of(std::string_view text, std::string_view marks) {
  return std::ranges::all_of(text, [&](char letter) {
    return is_alnum(letter) || letter == '%' || marks.find(letter) != marks.npos;
  });
}

/// Each "%" begins a %XX that is no NUL.
bool is_escaped_well(std::string_view text) {
  for (std::size_t at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
    unsigned code = 0;
    const char* digits = text.data() + at + 1;
    if (at + 2 >= text.size()) return false;
    if (std::from_chars(digits, digits + 2, code, 16).ptr != digits + 2 || code == 0) return false;
  }
  return true;
}

bool is_port(std::string_view text) {
  int port = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failure == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

/// What is wrong with one "host", "host:port" or "[address]:port"; empty: nothing.
std::string host_problem(std::string_view host) {
  std::size_t colon = host.find(':');
  if (host.starts_with('[')) {
    const std::size_t close = host.find(']');
    if (close == host.npos || !is_made_of(host.substr(1, close - 1), ":."))
      return "the address in [ ] is none";
    if (close + 1 < host.size() && host[close + 1] != ':') return "a colon must follow the ]";
    colon = close + 1 < host.size() ? close + 1 : host.npos;
  } else if (!is_made_of(host.substr(0, colon), "._~-")) {
    return "a host's name has a character that no host's name has";
  }
  const bool port_is_wrong =
      colon != host.npos && colon + 1 < host.size() && !is_port(host.substr(colon + 1));
  return port_is_wrong ? "a port must be a number from 1 to 65535" : "";
}

std::string hosts_problem(std::string_view hosts) {
  while (true) {
    const std::size_t comma = std::min(hosts.find(','), hosts.size());
    if (std::string problem = host_problem(hosts.substr(0, comma)); !problem.empty())
      return problem;
    if (comma == hosts.size()) return "";
    hosts.remove_prefix(comma + 1);
  }
}

/// What concerns the text as a whole.
std::string letters_problem(std::string_view rest) {
  const auto blank = [](char letter) { return (letter >= 0 && letter <= ' ') || letter == 0x7f; };
  if (std::ranges::any_of(rest, blank)) return "there is white space or a control character in it";
  if (std::ranges::count(rest, '@') > 1) return "there is more than one \"@\" in it";
  if (rest.find('#') != rest.npos) return "there is a \"#\" in it";
  if (std::ranges::count(rest, '?') > 1) return "there is more than one \"?\" in it";
  if (!is_escaped_well(rest)) return "there is a \"%\" in it that begins no %XX";
  return "";
}

std::string take_login(std::string_view& rest, PgUrl& url) {
  const std::size_t at = rest.find('@');
  if (at == rest.npos) return "";
  const std::string_view login = rest.substr(0, at);
  if (login.find_first_of("/?") != login.npos) return "there is a \"/\" or \"?\" before its \"@\"";
  const std::size_t colon = std::min(login.find(':'), login.size());
  url.user = std::string(login.substr(0, colon));
  url.has_password = colon + 1 < login.size();
  rest.remove_prefix(at + 1);
  return "";
}

std::string take_parameters(std::string_view text, PgUrl& url) {
  while (true) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (equals == 0 || equals == pair.size() || pair.find('=', equals + 1) != pair.npos)
      return "what follows its \"?\" isn't name=value, joined by \"&\"";
    url.parameters.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    if (end == text.size()) return "";
    text.remove_prefix(end + 1);
  }
}

std::string take_all(std::string_view rest, PgUrl& url) {
  if (std::string problem = letters_problem(rest); !problem.empty()) return problem;
  if (std::string problem = take_login(rest, url); !problem.empty()) return problem;
  const std::size_t query = std::min(rest.find('?'), rest.size());
  const std::size_t slash = std::min(rest.find('/'), query);
  url.hosts = std::string(rest.substr(0, slash));
  if (std::string problem = hosts_problem(url.hosts); !problem.empty()) return problem;
  if (slash < query) url.database = std::string(rest.substr(slash + 1, query - slash - 1));
  if (url.database && !is_made_of(*url.database, "._~!$'()*+,;-"))
    return "the database's name has a character that must be escaped";
  return query < rest.size() ? take_parameters(rest.substr(query + 1), url) : "";
}

}  // namespace

bool is_pg_url(std::string_view text) {
  return std::ranges::any_of(kSchemes,
                             [&](std::string_view scheme) { return text.starts_with(scheme); });
}

PgUrlReading read_pg_url(std::string_view text) {
  PgUrl url;
  for (const std::string_view scheme : kSchemes)
    if (url.scheme.empty() && text.starts_with(scheme)) url.scheme = std::string(scheme);
  const std::string problem = take_all(text.substr(url.scheme.size()), url);
  if (problem.empty()) return {std::move(url), ""};
  return {std::nullopt, problem + ": " + kPercentEncoding};
}

}  // namespace ba::storage
