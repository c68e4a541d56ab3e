#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_at.hpp>
#include <sqrtdk/testing/reporting/mutant_run.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace sqrtdk::testing {

std::string_view name(EvidenceLevel level) {
  switch (level) {
    case EvidenceLevel::exact:
      return "exact";
    case EvidenceLevel::bounded:
      return "bounded";
    case EvidenceLevel::measured:
      return "measured";
    case EvidenceLevel::statistical:
      return "statistical";
    case EvidenceLevel::empirical:
      return "empirical";
    case EvidenceLevel::cited:
      return "cited";
  }
  return "";
}

void Evidence::rests_on(EvidenceLevel level) {
  if (level == EvidenceLevel::exact)
    throw std::invalid_argument(
        "a test says that it is exact; it must compare exact values, by EXPECT_EXACTLY(a == b)");
  if (level == EvidenceLevel::measured && !rests_on_measurement_) {
    if (streams_ > 0)
      throw std::logic_error(
          "a test says that it rests on a measurement after it has drawn numbers; say so before, "
          "since such a test keeps the default seed");
    rests_on_measurement_ = true;
  }
  weaken_to(level);
}

bool Evidence::shows_something() const {
  return cases_ + enumerated_ + values_ + streams_ + risks_ > 0 || bound_ > 0 || has("n");
}

bool Evidence::is_empty() const {
  return !recorded_ && !level_ && refusals_ == 0 && fields_.empty() && !shows_something();
}

void Evidence::weaken_to(EvidenceLevel level) { level_ = std::max(level_.value_or(level), level); }

void Evidence::add_exact_comparison() {
  weaken_to(EvidenceLevel::exact);
  add_value();
}

void Evidence::add_value() {
  ++comparisons_;
  if (!detail::trying_a_case()) ++values_;
}

void Evidence::add_refusal() {
  ++comparisons_;
  ++refusals_;
}

void Evidence::begin_check(bool of_the_statement) {
  is_of_a_check_ = true;
  checks_the_statement_ = of_the_statement;
}

std::string_view Evidence::about() const {
  if (checks_the_statement_) return "statement";
  if (fields_.contains("counterexample")) return "counterexample";
  return !level_ && refusals_ > 0 ? "refusal" : "beside";
}

void Evidence::add_cases(std::uint64_t held, std::uint64_t discarded) {
  add_cases(held, discarded, held);
}

void Evidence::add_cases(std::uint64_t held, std::uint64_t discarded, std::uint64_t comparing) {
  cases_ += held;
  comparing_cases_ += comparing;
  has_idle_property_ |= comparing == 0;
  discards_ += discarded;
  random_ = true;
}

std::uint64_t Evidence::cases() const {
  return level_ == EvidenceLevel::exact ? comparing_cases_ : cases_;
}

void Evidence::add_enumerated(std::uint64_t count) { enumerated_ += count; }

void Evidence::worst(double error, double bound) {
  ++comparisons_;
  bounds_are_finite_ &= std::isfinite(bound);
  if (!(bound > 0)) return;                  // kept by equality, which has no ratio
  if (worst_error_ != worst_error_) return;  // NaN is worse than any error
  if (bound_ > 0 && error / bound <= worst_error_ / bound_) return;
  worst_error_ = error;
  bound_ = bound;
}

void Evidence::add_line(const std::string& key, const std::string& line) {
  std::string& lines = fields_[key];
  lines += (lines.empty() ? "" : "\n") + line;
}

void Evidence::set(const std::string& key, const std::string& value) { fields_[key] = value; }

void Evidence::add_check(double alpha) {
  ++risks_;
  alpha_ += alpha;
}

void Evidence::add_assertion(double chance) {
  ++risks_;
  chance_ += chance;
}

void Evidence::record() {
  using ::testing::Test;
  recorded_ = true;
  if (level_) Test::RecordProperty("level", std::string(name(*level_)));
  Test::RecordProperty("about", std::string(about()));
  if (streams_ > 0)
    Test::RecordProperty(
        "seed", std::to_string(rests_on_measurement_ ? default_master_seed : master_seed()));
  if (random_) {
    Test::RecordProperty("cases", std::to_string(cases()));
    Test::RecordProperty("discards", std::to_string(discards_));
  }
  if (bound_ > 0) {
    Test::RecordProperty("worst_error", format_significant(worst_error_, 3));
    Test::RecordProperty("bound", format_significant(bound_, 3));
  }
  if (values_ > 0) Test::RecordProperty("values", std::to_string(values_));
  if (refusals_ > 0) Test::RecordProperty("refusals", std::to_string(refusals_));
  if (enumerated_ > 0) Test::RecordProperty("enumerated", std::to_string(enumerated_));
  if (alpha_ > 0) Test::RecordProperty("alpha", format_shortest(alpha_));
  if (chance_ > 0) Test::RecordProperty("chance", format_shortest(chance_));
  for (const auto& [key, value] : fields_) Test::RecordProperty(key, value);
}

namespace {

Evidence& current_evidence() {
  static Evidence current;
  return current;
}

/// Each test begins with none, also one that is repeated.
class NoEvidenceYet : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo&) override { current_evidence() = Evidence(); }
};

}  // namespace

Evidence& evidence() {
  static const bool listening = [] {
    ::testing::UnitTest::GetInstance()->listeners().Append(new NoEvidenceYet);
    return true;
  }();
  static_cast<void>(listening);
  return current_evidence();
}

std::string current_test_name() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return std::string(test->test_suite_name()) + "." + test->name();
}

std::uint64_t active_seed() {
  if (checking_a_mutant()) return mutant_seed();
  return evidence().rests_on_measurement() ? default_master_seed : master_seed();
}

void enumerated(std::uint64_t count) { evidence().add_enumerated(count); }

void counterexample_without(const std::string& hypothesis) {
  evidence().add_line("counterexample", hypothesis);
}

void record_value(const std::string& name, const std::string& value) {
  evidence().set("value_" + name, value);
}

}  // namespace sqrtdk::testing
