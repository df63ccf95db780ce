// Prepares the plot of the step size control of a run. Internal to draw/.
#pragma once

#include "draw/panels.hpp"
#include "record/result.hpp"

namespace consort::draw {

// Three panels: step sizes (logarithmic) with marks below for rejected steps; the error relative to the tolerance; and
// a lane for each unit that limited the step, if this was recorded.
struct TrustPlot {
  record::Result result;  // the panels refer to it
  Panels panels;
};

// Throws Error (input) if the result does not contain the signals trust.step, trust.error and trust.rejected.
[[nodiscard]] TrustPlot make_trust_plot(const record::Result& result);

}  // namespace consort::draw
