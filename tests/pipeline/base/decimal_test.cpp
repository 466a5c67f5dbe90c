// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/decimal.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

bool multiple(const char* value, const char* divisor) {
  return is_multiple_of(decimal_of(value), decimal_of(divisor));
}

std::string text(const char* number) {
  std::string out;
  append_decimal_text(out, decimal_of(number));
  return out;
}

TEST(Decimal, IsOneValueHoweverItIsWritten) {
  for (const char* one : {"1", "1.0", "10e-1", "0.1e1", "0.01E+02", "1.00", "100e-2"})
    EXPECT_EQ(decimal_of(one), decimal_of("1")) << one;
  for (const char* zero : {"0", "-0", "0.000", "-0e7", "0e-999999999999999999999"})
    EXPECT_EQ(decimal_of(zero), Decimal{}) << zero;
  EXPECT_NE(decimal_of("18446744073709551617"), decimal_of("18446744073709551616"));
  EXPECT_NE(decimal_of("0.1"), decimal_of("0.1000000000000000055511151231257827"));
}

TEST(Decimal, IsOrderedByValue) {
  const char* const ascending[] = {"-1e400",
                                   "-1e399",
                                   "-10.5",
                                   "-10",
                                   "-9",
                                   "-0.01",
                                   "0",
                                   "1e-400",
                                   "0.009",
                                   "0.01",
                                   "1",
                                   "9",
                                   "9.99",
                                   "10",
                                   "10.000000000000000000001",
                                   "123456789012345678901",
                                   "1e400"};
  for (std::size_t i = 0; i < std::size(ascending); ++i)
    for (std::size_t j = 0; j < std::size(ascending); ++j)
      EXPECT_EQ(decimal_of(ascending[i]) <=> decimal_of(ascending[j]), i <=> j)
          << ascending[i] << " " << ascending[j];
}

TEST(Decimal, KnowsWholeNumbers) {
  for (const char* whole : {"0", "-3", "3.00", "1e400", "1.5e1", "-0.0", "12345678901234567890123"})
    EXPECT_TRUE(decimal_of(whole).whole()) << whole;
  for (const char* broken : {"0.5", "1.5e0", "1e-1", "12345678901234567890123.4"})
    EXPECT_FALSE(decimal_of(broken).whole()) << broken;
}

TEST(Decimal, DividesExactly) {
  EXPECT_TRUE(multiple("0.3", "0.1"));
  EXPECT_TRUE(multiple("12345678901234567890123456", "2"));
  EXPECT_FALSE(multiple("12345678901234567890123457", "2"));
  EXPECT_TRUE(multiple("1e400", "7e399") == false && multiple("7e400", "7"));
  EXPECT_TRUE(multiple("-19.99", "0.01"));
  EXPECT_FALSE(multiple("19.999", "0.01"));
  EXPECT_TRUE(multiple("0", "5"));
  EXPECT_FALSE(multiple("5", "0"));
  EXPECT_TRUE(multiple("9223372036854775806", "999999999999999999") == false);
  EXPECT_TRUE(multiple("1999999999999999998", "999999999999999999"));
}

TEST(Decimal, IsWrittenAsEcmaScriptDoes) {
  EXPECT_EQ(text("1.10"), "1.1");
  EXPECT_EQ(text("-0"), "0");
  EXPECT_EQ(text("1e21"), "1e+21");
  EXPECT_EQ(text("1e20"), "100000000000000000000");
  EXPECT_EQ(text("0.000001"), "0.000001");
  EXPECT_EQ(text("1.25e-7"), "1.25e-7");
  EXPECT_EQ(text("123456789012345678901234567890"), "1.2345678901234567890123456789e+29");
}

TEST(Decimal, SaysWhatIsBeyondTheLimitsOfANumber) {
  EXPECT_EQ(number_problem(std::string(1000, '9')), nullptr);
  EXPECT_STREQ(number_problem(std::string(1001, '9')), "a number of more than 1000 characters");
  EXPECT_EQ(number_problem("1e999"), nullptr);
  EXPECT_STREQ(number_problem("1e1000"), "a number beyond 10^1000");
  EXPECT_STREQ(number_problem("-1e99999999999999999999"), "a number beyond 10^1000");
  EXPECT_EQ(number_problem("1e-99999999999999999999"), nullptr);
  EXPECT_EQ(number_problem("0e99999"), nullptr);
}

}  // namespace
}  // namespace ba
