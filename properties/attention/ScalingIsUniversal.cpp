// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/published_scales.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/attention/fixture.hpp"
#include "properties/support/documents.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::properties::ScalingIsUniversal {

using namespace sqrtdk::testing;

/// What is said about published models.
struct Scales {
  std::vector<PublishedScale> (*models)() = sqrtdk::published_scales;
  Rational (*squared_divisor)(const PublishedScale&) = sqrtdk::squared_divisor;
  Rational (*variance)(const PublishedScale&) = sqrtdk::published_score_variance;
};

/// The table with one model changed.
template <class Change>
std::vector<PublishedScale> with_model(const std::string& name, Change change) {
  std::vector<PublishedScale> models = published_scales();
  for (PublishedScale& model : models)
    if (model.model == name) change(model);
  return models;
}

std::vector<PublishedScale> with_rule(const std::string& name, PublishedRule rule) {
  return with_model(name, [rule](PublishedScale& model) { model.rule = rule; });
}

bool divides_by_the_root(const PublishedScale& model, const Scales& scales) {
  return scales.squared_divisor(model) == Rational(model.head_dimension);
}

/// c as it is written: a number if c² is the square of one, else a root.
std::string divisor_text(const Rational& squared) {
  const Integer root = sqrt(Integer(numerator(squared)));
  return Rational(root * root) == squared ? root.str() : "√" + squared.str();
}

const std::vector<Mutant<Scales>> scaling_is_universal_mutants = {
    {"GPT-2 does not scale",
     "TheModelsThatTheDocumentNamesDivideByTheRoot",
     {.models = [] { return with_rule("GPT-2", PublishedRule::none); }}},
    {"LLaMA has twice the features",
     "TheModelsThatTheDocumentNamesDivideByTheRoot",
     {.models =
          [] { return with_model("LLaMA 7B", [](auto& model) { model.head_dimension *= 2; }); }}},
    {"BERT does not scale",
     "OthersDivideByOtherNumbersOrNotAtAll",
     {.models = [] { return with_rule("BERT, base", PublishedRule::none); }}},
    {"T5 divides by the root",
     "OthersDivideByOtherNumbersOrNotAtAll",
     {.models = [] { return with_rule("T5, base", PublishedRule::root); }}},
    {"GPT-Neo divides by the root",
     "OthersDivideByOtherNumbersOrNotAtAll",
     {.models = [] { return with_rule("GPT-Neo 1.3B", PublishedRule::root); }}},
    {"Gemma 2 divides by the root of its own dimension",
     "OthersDivideByOtherNumbersOrNotAtAll",
     {.models = [] { return with_rule("Gemma 2 27B", PublishedRule::root); }}},
    {"Gemma 3 divides by the root of its own dimension",
     "OthersDivideByOtherNumbersOrNotAtAll",
     {.models = [] { return with_rule("Gemma 3 27B", PublishedRule::root); }}},
    {"DeepSeek's heads have 128 features",
     "HeadsAreMostlyAsWideAsTheArticleSays",
     {.models =
          [] {
            return with_model("DeepSeek-V3", [](auto& model) { model.head_dimension = 128; });
          }}},
    {"Granite multiplies by an eighth",
     "OthersDivideByOtherNumbersOrNotAtAll",
     {.models =
          [] {
            return with_model("Granite 3.2 2B", [](auto& model) { model.number = Rational(1, 8); });
          }}},
    {"all divide by the root",
     "OthersDivideByOtherNumbersOrNotAtAll",
     {.squared_divisor =
          [](const PublishedScale& model) { return Rational(model.head_dimension); }}},
    {"no model is wider than 128",
     "HeadsAreMostlyAsWideAsTheArticleSays",
     {.models =
          [] { return with_model("Gemma 7B", [](auto& model) { model.head_dimension = 128; }); }}},
    {"Swin's heads have 64 features",
     "HeadsAreMostlyAsWideAsTheArticleSays",
     {.models =
          [] { return with_model("Swin-T", [](auto& model) { model.head_dimension = 64; }); }}},
    {"T5's heads have 32 features",
     "HeadsAreMostlyAsWideAsTheArticleSays",
     {.models =
          [] { return with_model("T5, base", [](auto& model) { model.head_dimension = 32; }); }}},
    {"a multiplier divides",
     "EachRuleLeavesTheVarianceOfTheLaw",
     {.variance = [](const PublishedScale& model) -> Rational {
       return model.rule == PublishedRule::multiplier
                  ? Rational(Rational(model.head_dimension) / (model.number * model.number))
                  : published_score_variance(model);
     }}},
    {"the variance is divided by c, not by c²",
     "EachRuleLeavesTheVarianceOfTheLaw",
     {.variance = [](const PublishedScale& model) -> Rational {
       return model.rule == PublishedRule::multiplier
                  ? Rational(Rational(model.head_dimension) * model.number)
                  : published_score_variance(model);
     }}},
    {"a number whose root divides is squared",
     "EachRuleLeavesTheVarianceOfTheLaw",
     {.variance = [](const PublishedScale& model) -> Rational {
       return model.rule == PublishedRule::square
                  ? Rational(published_score_variance(model) / model.number)
                  : published_score_variance(model);
     }}},
    {"without a scale the variance is 1",
     "EachRuleLeavesTheVarianceOfTheLaw",
     {.variance = [](const PublishedScale& model) -> Rational {
       return model.rule == PublishedRule::none ? Rational(1) : published_score_variance(model);
     }}},
    {"the root leaves d",
     "EachRuleLeavesTheVarianceOfTheLaw",
     {.variance = [](const PublishedScale& model) -> Rational {
       return model.rule == PublishedRule::root ? Rational(model.head_dimension)
                                                : published_score_variance(model);
     }}},
    {"a multiplier of 0 is accepted",
     "RefusesWhatIsNoScale",
     {.squared_divisor =
          [](const PublishedScale& model) {
            return model.number == 0 ? Rational(1) : squared_divisor(model);
          }}},
    {"a head of no features is accepted",
     "RefusesWhatIsNoScale",
     {.variance =
          [](const PublishedScale& model) {
            return model.head_dimension == 0 ? Rational(0) : published_score_variance(model);
          }}},
};

TEST(ScalingIsUniversal, TheModelsThatTheDocumentNamesDivideByTheRoot) {
  check_statement(scaling_is_universal_mutants, [](const Scales& scales) {
    std::map<std::string, std::size_t> dimension;
    for (const PublishedScale& model : scales.models())
      if (divides_by_the_root(model, scales)) dimension[model.model] = model.head_dimension;
    expect_confirmed("S3", "GPT: Standard √d_k scaling", dimension["GPT-2"] == 64);
    expect_confirmed("S3", "LLaMA: Standard scaling", dimension["LLaMA 7B"] == 128);
    evidence().rests_on(EvidenceLevel::cited);
    enumerated(2);
  });
}

//! [ScalingIsUniversal]
TEST(ScalingIsUniversal, OthersDivideByOtherNumbersOrNotAtAll) {
  check_statement(scaling_is_universal_mutants, [](const Scales& scales) {
    std::string others;
    std::set<std::string> undivided;
    std::size_t by_the_root = 0;
    for (const PublishedScale& model : scales.models()) {
      enumerated(1);
      if (scales.squared_divisor(model) == 1) undivided.insert(model.model);
      record_value(model.reference + "_d", std::to_string(model.head_dimension));
      record_value(model.reference + "_divisor", divisor_text(scales.squared_divisor(model)));
      record_value(model.reference + "_variance", scales.variance(model).str());
      if (divides_by_the_root(model, scales))
        ++by_the_root;
      else
        others += (others.empty() ? "" : "; ") + model.model + " by " +
                  divisor_text(scales.squared_divisor(model));
    }
    EXPECT_EQ(others,
              "Gemma 2 27B by 12; Gemma 3 27B by √168; T5, base by 1; GPT-Neo 1.3B by 1; Granite "
              "3.2 2B by 64");
    EXPECT_EQ(by_the_root, 8U);

    evidence().rests_on(EvidenceLevel::cited);
    expect_refuted("S3", "universally", by_the_root == scales.models().size(),
                   "usually; but " + others);
    // Whoever does not divide has the factor in the initialization, so the table shows no model
    // that does without.
    const std::set<std::string> in_the_initialization = {"T5, base", "GPT-Neo 1.3B"};
    const bool decided = undivided != in_the_initialization;
    decides("S2", "makes the entire attention mechanism work", decided);
    decides("S3", "necessary for stable training", decided);
    decides("S3", "essential for attention to work in practice", decided);
    decides("S3", "prevents instability", decided);
    // Nobody has counted papers.
    decides("S3", "rarely mentioned in papers", false);
  });
}
//! [ScalingIsUniversal]

TEST(ScalingIsUniversal, HeadsAreMostlyAsWideAsTheArticleSays) {
  check_statement(scaling_is_universal_mutants, [](const Scales& scales) {
    std::set<std::size_t> widths;
    std::set<std::string> narrower;
    for (const PublishedScale& model : scales.models()) {
      widths.insert(model.head_dimension);
      if (model.head_dimension < 64) narrower.insert(model.model);
    }
    const std::set<std::string> for_images = {"Swin-T"};
    EXPECT_EQ(widths, (std::set<std::size_t>{32, 64, 128, 192, 256}));
    evidence().rests_on(EvidenceLevel::cited);
    expect_confirmed("S2", "64, 128, or even larger", narrower == for_images);
    enumerated(scales.models().size());
  });
}

//! [ScalingIsUniversal: exact check]
TEST(ScalingIsUniversal, EachRuleLeavesTheVarianceOfTheLaw) {
  check_statement(scaling_is_universal_mutants, [](const Scales& scales) {
    for_all(
        [&] {
          const RationalDistribution q =
              *standardized_distribution().as("distribution of an entry of the query");
          const RationalDistribution k =
              *standardized_distribution().as("distribution of an entry of the key");
          const auto d = *rc::gen::inRange<std::size_t>(1, 3).as("d");
          const Rational number = abs(*nonzero_rational().as("the number that is given"));
          const RationalDistribution score = dot_product_distribution(q, k, d);
          const auto left = [&](PublishedRule rule) {
            return scales.variance({"a model", d, rule, number, ""});
          };
          const auto times = [&](const Rational& factor) {
            return variance(score.image([&](const Rational& s) { return Rational(s * factor); }));
          };
          EXPECT_EXACTLY(left(PublishedRule::none) == times(1));
          EXPECT_EXACTLY(left(PublishedRule::multiplier) == times(number));
          // A root may be irrational, so that its square is brought to the other side.
          EXPECT_EXACTLY(left(PublishedRule::root) * Rational(d) == times(1));
          EXPECT_EXACTLY(left(PublishedRule::square) * number == times(1));
        },
        40);
  });
}
//! [ScalingIsUniversal: exact check]

TEST(ScalingIsUniversal, RefusesWhatIsNoScale) {
  check_with_mutants(scaling_is_universal_mutants, [](const Scales& scales) {
    expect_refusal<std::domain_error>(
        [&] {
          scales.squared_divisor({"a model", 4, PublishedRule::multiplier, 0, ""});
        },
        "the number published for a model is 0, but must be greater than 0");
    expect_refusal<std::domain_error>(
        [&] {
          scales.squared_divisor({"another", 4, PublishedRule::square, Rational(-1, 2), ""});
        },
        "the number published for another is -1/2, but must be greater than 0");
    expect_refusal<std::domain_error>(
        [&] {
          scales.variance({"a model", 0, PublishedRule::root, 0, ""});
        },
        "the dimension is 0, but must be at least 1");
    expect_refusal<std::domain_error>(
        [&] {
          scales.squared_divisor({"a model", 4, static_cast<PublishedRule>(4), 0, ""});
        },
        "the rule of a model is none of the four");
  });
}

}  // namespace sqrtdk::properties::ScalingIsUniversal
