// The course of the step size control of a run, made ready for drawing. Internal to draw/.
#pragma once

#include "draw/panels.hpp"
#include "record/result.hpp"

namespace consort::draw {

// Three panels: step sizes (logarithmic) with a mark below wherever steps were rejected, the error relative to the
// tolerance, and a lane for each unit that limited the step; the last one only where it was recorded.
struct TrustPlot {
  record::Result result;  // what the panels point into
  Panels panels;
};

// Throws Error (input) when the result does not have the signals trust.step, trust.error and trust.rejected.
[[nodiscard]] TrustPlot make_trust_plot(const record::Result& result);

}  // namespace consort::draw
