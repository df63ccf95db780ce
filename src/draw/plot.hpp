// Plots trajectories over time: for papers (SVG), interactively (HTML) and in a terminal.
//
// All three group the signals by unit of measure into panels over one time axis, in the given order. Boolean signals
// share a separate panel with one lane each. Discrete signals are drawn as steps, NaN as a gap. Long runs are decimated
// without losing peaks.
//
// `names` selects the signals; empty: all numeric signals, or the first few dozen if there are many. All functions
// throw Error (input) if a name is not in the result (with suggestions), if a signal is a text, or if there is nothing
// to draw.
#pragma once

#include <span>
#include <string>

#include "record/result.hpp"

namespace consort::draw {

struct PlotOptions {
  std::string title = {};   // empty: no title line
  int width = 900;          // width of the picture in pixels; at least 320
  int panel_height = 220;   // height of the axes of a panel in pixels; at least 80
  std::string across = {};  // SVG only: title of the horizontal axis; empty: time in s
};

// Returns a static picture without external scripts, fonts or styles.
[[nodiscard]] std::string plot_svg(const record::Result& result, std::span<const std::string> names = {},
                                   const PlotOptions& options = {});

// Returns a self-contained page: zoom with the wheel or by dragging, reset by double click, values at the pointer,
// signals toggled in the legend, light and dark mode. The page uses the full width of the window. It contains all rows
// up to 16 MiB of numbers; beyond, it says so and contains the extremes of short intervals.
[[nodiscard]] std::string plot_html(const record::Result& result, std::span<const std::string> names = {},
                                    const PlotOptions& options = {});

// Says that plot_svg draws fewer points than rows, in one sentence, which the picture has as its description; empty if
// it draws all.
[[nodiscard]] std::string thinning_note(const record::Result& result, const PlotOptions& options);

struct TerminalOptions {
  std::string title = {};
  int width = 80;       // in characters; at least 30
  int height = 24;      // total height in lines; each panel gets at least 5, even if that exceeds the height
  bool colour = false;  // ANSI escape sequences
};

// Returns lines of text, each ending with a newline; curves consist of Braille dots.
[[nodiscard]] std::string plot_terminal(const record::Result& result, std::span<const std::string> names = {},
                                        const TerminalOptions& options = {});

// Plot the step size control of a run in three panels: step sizes with marks for rejected steps, the error relative to
// the tolerance, and the unit that limits the step. They use the signals trust.* of a result and throw Error (input) if
// these are missing.
[[nodiscard]] std::string plot_trust_svg(const record::Result& result, const PlotOptions& options = {});
[[nodiscard]] std::string plot_trust_html(const record::Result& result, const PlotOptions& options = {});
[[nodiscard]] std::string plot_trust_terminal(const record::Result& result, const TerminalOptions& options = {});

}  // namespace consort::draw
