#include <sqrtdk/attention/published_scales.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>

#include "properties/attention/fixture.hpp"
#include "properties/support/documents.hpp"

namespace sqrtdk::properties::ScalingIsUniversal {

struct Subject {
  std::vector<PublishedScale> (*models)() = sqrtdk::published_scales;
  Rational (*squared_divisor)(const PublishedScale&) = sqrtdk::squared_divisor;
  Rational (*variance)(const PublishedScale&) = sqrtdk::published_score_variance;
};

bool divides_by_the_root(const PublishedScale& model, const Subject& subject) {
  return subject.squared_divisor(model) == Rational(model.head_dimension);
}

/// c as it is written: a number if c² is the square of one, else a root.
std::string divisor_text(const Rational& squared) {
  const Integer root = sqrt(Integer(numerator(squared)));
  return Rational(root * root) == squared ? root.str() : "√" + squared.str();
}

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

STATEMENT(ScalingIsUniversal, TheModelsThatTheDocumentNamesDivideByTheRoot) {
  std::map<std::string, std::size_t> dimension;
  for (const PublishedScale& model : subject.models())
    if (divides_by_the_root(model, subject)) dimension[model.model] = model.head_dimension;
  expect_confirmed("S3", "GPT: Standard √d_k scaling", dimension["GPT-2"] == 64);
  expect_confirmed("S3", "LLaMA: Standard scaling", dimension["LLaMA 7B"] == 128);
  evidence().rests_on(EvidenceLevel::cited);
  enumerated(2);
}
KILLS("GPT-2 does not scale", {.models = [] { return with_rule("GPT-2", PublishedRule::none); }});
KILLS("LLaMA has twice the features", {.models = [] {
        return with_model("LLaMA 7B", [](auto& model) { model.head_dimension *= 2; });
      }});

//! [ScalingIsUniversal]
STATEMENT(ScalingIsUniversal, OthersDivideByOtherNumbersOrNotAtAll) {
  std::string others;
  std::set<std::string> undivided;
  std::size_t by_the_root = 0;
  for (const PublishedScale& model : subject.models()) {
    enumerated(1);
    if (subject.squared_divisor(model) == 1) undivided.insert(model.model);
    record_value(model.reference + "_d", std::to_string(model.head_dimension));
    record_value(model.reference + "_divisor", divisor_text(subject.squared_divisor(model)));
    record_value(model.reference + "_variance", subject.variance(model).str());
    if (divides_by_the_root(model, subject))
      ++by_the_root;
    else
      others += (others.empty() ? "" : "; ") + model.model + " by " +
                divisor_text(subject.squared_divisor(model));
  }
  EXPECT_EQ(others,
            "Gemma 2 27B by 12; Gemma 3 27B by √168; T5, base by 1; GPT-Neo 1.3B by 1; Granite "
            "3.2 2B by 64");
  EXPECT_EQ(by_the_root, 8U);

  evidence().rests_on(EvidenceLevel::cited);
  expect_refuted("S3", "universally", by_the_root == subject.models().size(),
                 "usually; but " + others);
  // Models that do not divide have the factor in the initialization: none does without.
  const std::set<std::string> in_the_initialization = {"T5, base", "GPT-Neo 1.3B"};
  const bool decided = undivided != in_the_initialization;
  decides("S2", "makes the entire attention mechanism work", decided);
  decides("S3", "necessary for stable training", decided);
  decides("S3", "essential for attention to work in practice", decided);
  decides("S3", "prevents instability", decided);
  // Nobody has counted papers.
  decides("S3", "rarely mentioned in papers", false);
}
//! [ScalingIsUniversal]
KILLS("BERT does not scale",
      {.models = [] { return with_rule("BERT, base", PublishedRule::none); }});
KILLS("T5 divides by the root",
      {.models = [] { return with_rule("T5, base", PublishedRule::root); }});
KILLS("GPT-Neo divides by the root",
      {.models = [] { return with_rule("GPT-Neo 1.3B", PublishedRule::root); }});
KILLS("Gemma 2 divides by the root of its own dimension",
      {.models = [] { return with_rule("Gemma 2 27B", PublishedRule::root); }});
KILLS("Gemma 3 divides by the root of its own dimension",
      {.models = [] { return with_rule("Gemma 3 27B", PublishedRule::root); }});
KILLS("Granite multiplies by an eighth", {.models = [] {
        return with_model("Granite 3.2 2B", [](auto& model) { model.number = Rational(1, 8); });
      }});
KILLS("all divide by the root",
      {.squared_divisor = [](auto& model) { return Rational(model.head_dimension); }});

STATEMENT(ScalingIsUniversal, HeadsAreMostlyAsWideAsTheArticleSays) {
  std::set<std::size_t> widths;
  std::set<std::string> narrower;
  for (const PublishedScale& model : subject.models()) {
    widths.insert(model.head_dimension);
    if (model.head_dimension < 64) narrower.insert(model.model);
  }
  const std::set<std::string> for_images = {"Swin-T"};
  EXPECT_EQ(widths, (std::set<std::size_t>{32, 64, 128, 192, 256}));
  evidence().rests_on(EvidenceLevel::cited);
  expect_confirmed("S2", "64, 128, or even larger", narrower == for_images);
  enumerated(subject.models().size());
}
KILLS("DeepSeek's heads have 128 features", {.models = [] {
        return with_model("DeepSeek-V3", [](auto& model) { model.head_dimension = 128; });
      }});
KILLS("no model is wider than 128", {.models = [] {
        return with_model("Gemma 7B", [](auto& model) { model.head_dimension = 128; });
      }});
KILLS("Swin's heads have 64 features", {.models = [] {
        return with_model("Swin-T", [](auto& model) { model.head_dimension = 64; });
      }});
KILLS("T5's heads have 32 features", {.models = [] {
        return with_model("T5, base", [](auto& model) { model.head_dimension = 32; });
      }});

//! [ScalingIsUniversal: exact check]
STATEMENT(ScalingIsUniversal, EachRuleLeavesTheVarianceOfTheDistribution) {
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
          return subject.variance({"a model", d, rule, number, ""});
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
}
//! [ScalingIsUniversal: exact check]
KILLS("a multiplier divides", {.variance = [](auto& model) {
        return model.rule == PublishedRule::multiplier
                   ? Rational(Rational(model.head_dimension) / (model.number * model.number))
                   : published_score_variance(model);
      }});
KILLS("the variance is divided by c, not by c²", {.variance = [](auto& model) {
        return model.rule == PublishedRule::multiplier
                   ? Rational(Rational(model.head_dimension) * model.number)
                   : published_score_variance(model);
      }});
KILLS("a number whose root divides is squared", {.variance = [](auto& model) {
        return model.rule == PublishedRule::square
                   ? Rational(published_score_variance(model) / model.number)
                   : published_score_variance(model);
      }});
KILLS("without a scale the variance is 1", {.variance = [](auto& model) {
        return model.rule == PublishedRule::none ? Rational(1) : published_score_variance(model);
      }});
KILLS("the root leaves d", {.variance = [](auto& model) {
        return model.rule == PublishedRule::root ? Rational(model.head_dimension)
                                                 : published_score_variance(model);
      }});

ASIDE(ScalingIsUniversal, RefusesWhatIsNoScale) {
  expect_refusal<std::domain_error>(
      [&] {
        subject.squared_divisor({"a model", 4, PublishedRule::multiplier, 0, ""});
      },
      "the number published for a model is 0, but must be greater than 0");
  expect_refusal<std::domain_error>(
      [&] {
        subject.squared_divisor({"another", 4, PublishedRule::square, Rational(-1, 2), ""});
      },
      "the number published for another is -1/2, but must be greater than 0");
  expect_refusal<std::domain_error>(
      [&] {
        subject.variance({"a model", 0, PublishedRule::root, 0, ""});
      },
      "the dimension is 0, but must be at least 1");
  expect_refusal<std::domain_error>(
      [&] {
        subject.squared_divisor({"a model", 4, static_cast<PublishedRule>(4), 0, ""});
      },
      "the rule of a model is none of the four");
}
KILLS("a multiplier of 0 is accepted", {.squared_divisor = [](auto& model) {
        return model.number == 0 ? Rational(1) : squared_divisor(model);
      }});
KILLS("a head of no features is accepted", {.variance = [](auto& model) {
        return model.head_dimension == 0 ? Rational(0) : published_score_variance(model);
      }});

}  // namespace sqrtdk::properties::ScalingIsUniversal
