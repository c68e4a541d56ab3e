// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The numbers behind a figure, written by the run that the figure shows.
#pragma once

#include <string>
#include <vector>

namespace sqrtdk::testing {

/// Writes the data of a figure, `NAME.dat` in the folder that `SQRTDK_FIGURES` names; does nothing
/// if that is not set, or if the data would be that of a mutant. `docs/figures/NAME.gp` draws it.
///
/// A comment line names the columns; the file is written under a temporary name and then renamed.
/// \param name    the figure, as its script is called.
/// \param columns their names, without spaces.
/// \param rows    each as long as `columns`; an empty row separates two curves.
/// \throws std::invalid_argument if a row has another length, std::runtime_error if the file cannot
///         be written.
void write_figure_data(const std::string& name, const std::vector<std::string>& columns,
                       const std::vector<std::vector<double>>& rows);

}  // namespace sqrtdk::testing
