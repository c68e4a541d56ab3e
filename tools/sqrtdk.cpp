// SPDX-License-Identifier: BSL-1.0
// sqrtdk law D: the exact law of a score in D dimensions, for those who only want a number or a
// picture.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <boost/math/distributions/complement.hpp>
#include <charconv>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sqrtdk/score_distribution.hpp"

namespace {

using boost::math::complement;

using Law = sqrtdk::score_distribution<double>;

/// A question and its answer, in the order in which they were asked.
struct Answer {
  std::string question;  ///< such as `P(X > 8)`
  std::string key;       ///< its name in JSON, such as `sf`
  double argument;       ///< x or p; NaN if the question has none
  double value;          ///< the answer
};

/// The shortest decimal that reads back to the same number.
std::string exact(double x) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr};
}

std::vector<Answer> moments_of(const Law& law) {
  const double none = std::nan("");
  return {{"mean", "mean", none, mean(law)},
          {"variance", "variance", none, variance(law)},
          {"standard deviation", "standard_deviation", none, standard_deviation(law)},
          {"excess kurtosis", "kurtosis_excess", none, kurtosis_excess(law)},
          {"E|X|", "mean_absolute", none, absolute_moment(law, 1.0)},
          {"distance to N(0, d)", "normal_distance", none, normal_distance(law)}};
}

void print_table(double dimension, const std::vector<Answer>& answers) {
  std::cout << "score of standard normal query and key, d = " << exact(dimension) << '\n';
  std::size_t width = 0;
  for (const Answer& answer : answers) width = std::max(width, answer.question.size());
  for (const Answer& answer : answers)
    std::cout << "  " << std::left << std::setw(static_cast<int>(width)) << answer.question << "  "
              << exact(answer.value) << '\n';
}

void print_json(double dimension, const std::vector<Answer>& answers) {
  nlohmann::ordered_json result = {{"d", dimension}, {"answers", nlohmann::json::array()}};
  for (const Answer& answer : answers) {
    nlohmann::ordered_json entry = {{"what", answer.key}};
    if (!std::isnan(answer.argument)) entry["at"] = answer.argument;
    entry["value"] = answer.value;
    result["answers"].push_back(entry);
  }
  std::cout << result.dump(2) << '\n';
}

/// The points of a curve in a picture 640 wide and 320 high, as SVG wants them; what is higher than
/// `height` is cut off.
template <class Density>
std::string points_of(Density density, double half_width, double height) {
  std::string points;
  for (int i = 0; i <= 640; ++i) {
    const double x = half_width * (i - 320) / 320;
    const double y = std::min(density(x), height);
    points += std::to_string(i) + ',' + exact(std::round(3200 * (1 - y / height)) / 10) + ' ';
  }
  return points;
}

/// Draws the density, and that of N(0, d) dashed, over ±4 standard deviations.
/// \throws std::runtime_error if the file cannot be written; then nothing is left of it.
void plot(const Law& law, const std::filesystem::path& file) {
  const double deviation = standard_deviation(law);
  const double dimension = variance(law);
  const auto normal = [&](double x) {
    return std::exp(-x * x / (2 * dimension)) / (deviation * std::sqrt(2 * M_PI));
  };
  const auto score = [&](double x) {
    return x == 0 && dimension <= 1 ? std::numeric_limits<double>::infinity() : pdf(law, x);
  };
  // At 0 the density is largest, and infinite for d at most 1: cut it a little beside 0 there.
  const double height = 1.05 * (dimension > 1.5 ? score(0.0) : score(deviation / 40));

  const std::filesystem::path temporary = file.string() + ".new";
  std::ofstream out(temporary);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-10 -10 660 370\" role=\"img\" "
         "font-family=\"sans-serif\" font-size=\"14\">\n"
      << "<title>Density of the score at d = " << exact(dimension)
      << ", and of the normal law with the same variance (dashed)</title>\n"
      << "<path d=\"M0 320H640\" stroke=\"#888\"/>\n";
  for (const int sigma : {-4, -2, 0, 2, 4})
    out << "<text x=\"" << 320 + 80 * sigma << "\" y=\"342\" text-anchor=\"middle\" fill=\"#888\">"
        << exact(std::round(100 * sigma * deviation) / 100) << "</text>\n";
  out << "<polyline fill=\"none\" stroke=\"#888\" stroke-dasharray=\"6 4\" stroke-width=\"2\" "
         "points=\""
      << points_of(normal, 4 * deviation, height) << "\"/>\n"
      << "<polyline fill=\"none\" stroke=\"#0072B2\" stroke-width=\"2\" points=\""
      << points_of(score, 4 * deviation, height) << "\"/>\n</svg>\n";
  out.close();
  if (!out) {
    std::filesystem::remove(temporary);
    throw std::runtime_error("cannot write " + file.string());
  }
  std::filesystem::rename(temporary, file);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The square root in attention, from the command line");
  app.require_subcommand(1);
  CLI::App* command =
      app.add_subcommand("law", "the exact law of a score q·k, q and k ~ N(0, I_d)");

  double dimension = 0;
  std::vector<double> densities;
  std::vector<double> below;
  std::vector<double> above;
  std::vector<double> quantiles;
  std::string picture;
  bool json = false;
  command->add_option("d", dimension, "the head dimension, any positive number")->required();
  command->add_option("--pdf", densities, "the density at x")->type_name("x");
  command->add_option("--cdf", below, "P(X <= x)")->type_name("x");
  command->add_option("--sf", above, "P(X > x)")->type_name("x");
  command->add_option("--quantile", quantiles, "the x with P(X <= x) = p")->type_name("p");
  command->add_option("--plot", picture, "draw the density as SVG")->type_name("FILE");
  command->add_flag("--json", json, "answer in JSON");
  CLI11_PARSE(app, argc, argv);

  try {
    const Law law(dimension);
    std::vector<Answer> answers;
    for (const double x : densities)
      answers.push_back({"pdf(" + exact(x) + ")", "pdf", x, pdf(law, x)});
    for (const double x : below)
      answers.push_back({"P(X <= " + exact(x) + ")", "cdf", x, cdf(law, x)});
    for (const double x : above)
      answers.push_back({"P(X > " + exact(x) + ")", "sf", x, cdf(complement(law, x))});
    for (const double p : quantiles)
      answers.push_back({"quantile(" + exact(p) + ")", "quantile", p, quantile(law, p)});
    if (answers.empty()) answers = moments_of(law);
    json ? print_json(dimension, answers) : print_table(dimension, answers);
    if (!picture.empty()) {
      plot(law, picture);
      if (!json) std::cout << "drawn: " << picture << '\n';
    }
  } catch (const std::exception& error) {
    std::cerr << "sqrtdk law: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
