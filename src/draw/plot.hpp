// Trajectories over time as pictures: for a paper (SVG), for looking closely (HTML), for a terminal.
//
// All three group the signals by unit of measure into panels over one time axis, in the order in which they are given;
// truth values get a panel of their own with one lane each. Discrete signals are steps, NaN is a gap. Long runs are
// thinned so that no peak is lost.
//
// `names` chooses the signals; none means all that are numbers, the first few dozen if there are many. All throw Error
// (input) for a name that the result does not have (with suggestions), for a text, and when nothing is left to draw.
#pragma once

#include <span>
#include <string>

#include "record/result.hpp"

namespace consort::draw {

struct PlotOptions {
  std::string title = {};   // none: no line for it
  int width = 900;          // of the picture, in pixels; 320 or more
  int panel_height = 220;   // of one panel's axes, in pixels; 80 or more
  std::string across = {};  // of SVG: what the horizontal axis is; none: time in s
};

// A static picture without scripts, fonts or styles from elsewhere.
[[nodiscard]] std::string plot_svg(const record::Result& result, std::span<const std::string> names = {},
                                   const PlotOptions& options = {});

// A page that needs nothing but a browser: zoom by dragging, reset by a double click, values under the pointer, signals
// switched in the legend, light and dark. It takes the width of the window.
[[nodiscard]] std::string plot_html(const record::Result& result, std::span<const std::string> names = {},
                                    const PlotOptions& options = {});

struct TerminalOptions {
  std::string title = {};
  int width = 80;       // in characters; 30 or more
  int height = 24;      // in lines, of everything; panels need 5 each and get them
  bool colour = false;  // ANSI escape sequences
};

// Lines of text that end with a new line; curves in Braille dots.
[[nodiscard]] std::string plot_terminal(const record::Result& result, std::span<const std::string> names = {},
                                        const TerminalOptions& options = {});

// The course of a run whose steps a controller chose, in three panels: step sizes with rejected steps marked, the error
// relative to the tolerance, and which unit limits the step. From the signals trust.* of a result; throw Error (input)
// when it does not have them.
[[nodiscard]] std::string plot_trust_svg(const record::Result& result, const PlotOptions& options = {});
[[nodiscard]] std::string plot_trust_html(const record::Result& result, const PlotOptions& options = {});
[[nodiscard]] std::string plot_trust_terminal(const record::Result& result, const TerminalOptions& options = {});

}  // namespace consort::draw
