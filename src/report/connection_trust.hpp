// Computes the errors of connections, which users know, from the estimated errors of outputs: a connection transforms
// the error on its way to an input.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "couple/error_estimate.hpp"
#include "couple/run_state.hpp"
#include "graph/plan.hpp"
#include "report/system_report.hpp"

namespace consort::report {

// In the order of sources in the system. A source that drives several inputs with the same transformation is one row;
// so are consecutive elements of an array connected to consecutive elements of another array.
[[nodiscard]] std::vector<TrustReport> connection_trust(const graph::Plan& plan,
                                                        std::span<const couple::EstimatedOutput> estimated,
                                                        const couple::ControlState& control);

}  // namespace consort::report
