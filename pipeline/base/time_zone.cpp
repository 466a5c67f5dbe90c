// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/time_zone.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/base/zone_rule.hpp"

namespace ba {

struct ZoneRules {
  std::vector<std::chrono::sys_seconds> changes;  ///< in order
  std::vector<std::chrono::seconds> offsets;      ///< before the first change, and from each on
  std::optional<ZoneRule> later;                  ///< from the last change on; none: as then
};

namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::size_t kHeaderBytes = 44;
constexpr std::size_t kTypeBytes = 6;
constexpr std::uint32_t kCountMost = 100'000;    // of anything; the largest zone has some hundreds
constexpr std::int64_t kOffsetMost = 26 * 3600;  // RFC 9636, 3.2: 25 hours, 59 minutes and less

struct Counts {
  std::uint32_t of_utc = 0, of_standard = 0, leaps = 0, times = 0, types = 0, letters = 0;

  std::size_t bytes(std::size_t time_bytes) const {
    return times * (time_bytes + 1) + types * kTypeBytes + letters + leaps * (time_bytes + 4) +
           of_standard + of_utc;
  }
};

Error wrong(const std::string& name, const char* what) {
  return invalid_argument("the compiled file of time zone '" + name + "' " + what);
}

template <typename T>
T big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes.substr(0, sizeof(T)))
    value = value << 8 | static_cast<unsigned char>(byte);
  return static_cast<T>(value);
}

/// None when there is no such header.
std::optional<Counts> read_header(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with("TZif")) return std::nullopt;
  Counts counts;
  std::size_t at = 20;
  for (std::uint32_t* count : {&counts.of_utc, &counts.of_standard, &counts.leaps, &counts.times,
                               &counts.types, &counts.letters}) {
    *count = big_endian<std::uint32_t>(bytes.substr(at));
    if (*count > kCountMost) return std::nullopt;
    at += 4;
  }
  return counts;
}

/// The block of 64-bit times; `bytes` holds all of it. None when it contradicts itself.
std::optional<ZoneRules> read_block(std::string_view bytes, const Counts& counts) {
  std::string_view places = bytes.substr(counts.times * sizeof(std::int64_t));
  const std::string_view types = places.substr(counts.times);
  const auto offset_of = [&](std::size_t type) {
    return seconds(big_endian<std::int32_t>(types.substr(type * kTypeBytes)));
  };
  ZoneRules rules;
  rules.offsets.push_back(offset_of(0));
  for (std::uint32_t i = 0; i < counts.times; ++i) {
    const auto type = static_cast<unsigned char>(places[i]);
    if (type >= counts.types) return std::nullopt;
    rules.changes.emplace_back(seconds(big_endian<std::int64_t>(bytes.substr(i * 8UL))));
    rules.offsets.push_back(offset_of(type));
  }
  const bool sane = std::ranges::all_of(rules.offsets, [](seconds offset) {
    return offset.count() > -kOffsetMost && offset.count() < kOffsetMost;
  });
  if (!sane || !std::ranges::is_sorted(rules.changes)) return std::nullopt;
  return rules;
}

}  // namespace

TimeZone::TimeZone() = default;

Result<TimeZone> TimeZone::read(std::string name, std::string_view tzif) {
  const auto first = read_header(tzif);
  if (!first) return wrong(name, "is no TZif file");
  if (tzif[4] < '2') return wrong(name, "has version 1; version 2 or later is needed");
  const std::size_t old_bytes = kHeaderBytes + first->bytes(4);
  if (tzif.size() < old_bytes) return wrong(name, "is cut");
  tzif.remove_prefix(old_bytes);
  const auto counts = read_header(tzif);
  if (!counts || counts->types == 0) return wrong(name, "has no times of 64 bits");
  if (counts->leaps > 0) return wrong(name, "counts leap seconds, which no clock here does");
  tzif.remove_prefix(kHeaderBytes);
  if (tzif.size() < counts->bytes(8) + 2) return wrong(name, "is cut");
  auto rules = read_block(tzif, *counts);
  if (!rules) return wrong(name, "contradicts itself");
  tzif.remove_prefix(counts->bytes(8) + 1);  // the footer stands between two line ends
  const std::size_t end = tzif.find('\n');
  if (end == std::string_view::npos) return wrong(name, "is cut");
  const std::string_view footer = tzif.substr(0, end);
  if (!footer.empty()) {
    rules->later = parse_zone_rule(footer);
    if (!rules->later) return wrong(name, "ends with a rule that can't be read");
  }
  TimeZone zone;
  zone.name_ = std::move(name);
  zone.rules_ = std::make_shared<const ZoneRules>(std::move(*rules));
  return zone;
}

seconds TimeZone::offset_at(WallTime time) const {
  if (!rules_) return seconds(0);
  const auto at = std::chrono::floor<seconds>(time);
  const auto next = std::ranges::upper_bound(rules_->changes, at);
  if (next == rules_->changes.end() && rules_->later) return rules_->later->offset_at(at);
  return rules_->offsets[static_cast<std::size_t>(next - rules_->changes.begin())];
}

std::chrono::sys_days TimeZone::day_at(WallTime time) const {
  return std::chrono::floor<std::chrono::days>(time + offset_at(time));
}

}  // namespace ba
