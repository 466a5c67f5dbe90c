// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/zone_rule.hpp"

#include <algorithm>

namespace ba {
namespace {

using std::chrono::days;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr int kHoursMost = 167;  // RFC 9636, 3.3.1
constexpr int kDigitsMost = 3;

sys_days day_of(const YearlyChange& change, std::chrono::year year) {
  namespace chrono = std::chrono;
  const sys_days first(year / chrono::January / 1);
  if (change.kind == YearlyChange::Kind::Day) return first + days(change.day);
  if (change.kind == YearlyChange::Kind::DayWithoutLeap) {
    const bool after_leap_day = year.is_leap() && change.day >= 60;
    return first + days(change.day - 1 + (after_leap_day ? 1 : 0));
  }
  const chrono::month month(static_cast<unsigned>(change.month));
  const chrono::weekday weekday(static_cast<unsigned>(change.day));
  if (change.week == 5) return sys_days(year / month / weekday[chrono::last]);
  return sys_days(year / month / weekday[static_cast<unsigned>(change.week)]);
}

class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}

  std::optional<ZoneRule> read() {
    ZoneRule rule;
    read_name();
    rule.standard = -read_clock();
    if (good_ && !text_.empty()) read_summer(rule);
    if (!good_ || !text_.empty()) return std::nullopt;
    return rule;
  }

 private:
  void read_summer(ZoneRule& rule) {
    read_name();
    rule.summer = rule.standard + std::chrono::hours(1);
    if (!text_.empty() && text_.front() != ',') rule.summer = -read_clock();
    rule.to_summer = read_change();
    rule.to_standard = read_change();
  }

  void read_name() {
    const bool quoted = take('<');
    const auto of_name = [quoted](char c) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      return letter || (quoted && ((c >= '0' && c <= '9') || c == '+' || c == '-'));
    };
    const auto end = std::find_if_not(text_.begin(), text_.end(), of_name);
    const auto length = static_cast<std::size_t>(end - text_.begin());
    good_ = good_ && length >= 3;
    text_.remove_prefix(length);
    if (quoted) expect('>');
  }

  /// [+-]hh[:mm[:ss]]
  seconds read_clock() {
    const bool negative = take('-');
    if (!negative) take('+');
    int total = read_number(0, kHoursMost) * 3600;
    if (take(':')) total += read_number(0, 59) * 60;
    if (take(':')) total += read_number(0, 59);
    return seconds(negative ? -total : total);
  }

  YearlyChange read_change() {
    YearlyChange change;
    expect(',');
    if (take('M')) {
      change.month = read_number(1, 12);
      expect('.');
      change.week = read_number(1, 5);
      expect('.');
      change.day = read_number(0, 6);
    } else if (take('J')) {
      change.kind = YearlyChange::Kind::DayWithoutLeap;
      change.day = read_number(1, 365);
    } else {
      change.kind = YearlyChange::Kind::Day;
      change.day = read_number(0, 365);
    }
    if (take('/')) change.time = read_clock();
    return change;
  }

  int read_number(int least, int most) {
    int number = 0;
    int digits = 0;
    for (; !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; ++digits) {
      if (digits < kDigitsMost) number = number * 10 + (text_.front() - '0');
      text_.remove_prefix(1);
    }
    good_ = good_ && digits > 0 && digits <= kDigitsMost && number >= least && number <= most;
    return good_ ? number : least;
  }

  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) { good_ = take(c) && good_; }

  std::string_view text_;
  bool good_ = true;
};

}  // namespace

seconds ZoneRule::offset_at(sys_seconds time) const {
  if (!summer) return standard;
  const std::chrono::year_month_day date{std::chrono::floor<days>(time + standard)};
  const sys_seconds begin = day_of(to_summer, date.year()) + to_summer.time - standard;
  const sys_seconds end = day_of(to_standard, date.year()) + to_standard.time - *summer;
  // South of the equator the year begins in summer.
  const bool is_summer = begin < end ? begin <= time && time < end : begin <= time || time < end;
  return is_summer ? *summer : standard;
}

std::optional<ZoneRule> parse_zone_rule(std::string_view text) { return RuleReader(text).read(); }

}  // namespace ba
