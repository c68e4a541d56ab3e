// Matrices of standard normal entries, for figures that show one draw.
#pragma once

#include <sqrtdk/testing/statistics/streams.hpp>

#include <Eigen/Core>
#include <boost/random/normal_distribution.hpp>

#include <string>

namespace sqrtdk {

/// Matrices of independent standard normal entries from a figure's own stream, one after the other.
class NormalDraws {
 public:
  /// \param figure  the name of the figure
  explicit NormalDraws(const std::string& figure)
      : stream_{testing::stream_of(1, "figure " + figure)} {}

  /// \return the next matrix of `rows` × `columns` entries
  Eigen::MatrixXd operator()(Eigen::Index rows, Eigen::Index columns) {
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [this] { return normal_(stream_); });
  }

 private:
  testing::Stream stream_;
  boost::random::normal_distribution<double> normal_;
};

}  // namespace sqrtdk
