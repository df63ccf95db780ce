// From the errors of outputs, which controllers estimate, to those of connections, which users know: an error arrives
// at an input as the connection transforms it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "couple/error_estimate.hpp"
#include "couple/run_state.hpp"
#include "graph/plan.hpp"
#include "report/system_report.hpp"

namespace consort::report {

// In the order in which sources stand in the system. A source that drives several inputs in the same way is one row,
// and so are elements of an array that go side by side from one variable to another.
[[nodiscard]] std::vector<TrustReport> connection_trust(const graph::Plan& plan,
                                                        std::span<const couple::EstimatedOutput> estimated,
                                                        const couple::ControlState& control);

}  // namespace consort::report
