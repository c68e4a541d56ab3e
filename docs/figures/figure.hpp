// The figures that the program `figures` computes.
#pragma once

namespace sqrtdk::figures {

/// A figure of that program, which `docs/figures/NAME.gp` or `NAME.js` draws.
struct Figure {
  /// \param name    the figure, as its script is called.
  /// \param compute computes its data, and hands them to write_figure_data().
  Figure(const char* name, void (*compute)());
};

}  // namespace sqrtdk::figures
