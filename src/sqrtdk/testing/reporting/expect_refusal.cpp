#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_at.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

#include <optional>
#include <string>

namespace sqrtdk::testing {

void detail::expect_refusal(const std::optional<std::string>& thrown,
                            const std::optional<std::string>& wanted, const SourceLocation& place) {
  evidence().add_refusal();
  if (!thrown)
    expect_at(false, "this call must refuse its arguments, but throws nothing of the kind", place);
  else if (wanted && *thrown != *wanted)
    expect_at(false, "this call must say '" + *wanted + "', but says '" + *thrown + "'", place);
}

}  // namespace sqrtdk::testing
