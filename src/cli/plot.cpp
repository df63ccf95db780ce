#include "draw/plot.hpp"

#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/fmu_options.hpp"
#include "cli/written_files.hpp"
#include "record/formats.hpp"

namespace consort::cli {

namespace {

struct PlotOptions {
  std::string result;
  std::vector<std::string> names;
  std::vector<std::string> output_files;
  std::string title;
  bool trust = false;
  bool terminal = false;
  int width = 0;
  int height = 0;
};

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 30) return std::min<int>(size.ws_col, 160);
  return 80;
}

std::string picture(const record::Result& result, const PlotOptions& o, const draw::PlotOptions& options, bool svg) {
  if (o.trust) return svg ? draw::plot_trust_svg(result, options) : draw::plot_trust_html(result, options);
  return svg ? draw::plot_svg(result, o.names, options) : draw::plot_html(result, o.names, options);
}

// The name of the file; with --trust, also controller and tolerance if the file contains them.
std::string title_of(const PlotOptions& o, const record::Result& result) {
  if (!o.title.empty()) return o.title;
  std::string title = std::filesystem::path(o.result).stem().string();
  if (!o.trust) return title;
  for (const auto& [name, before] : {std::pair("controller", ": "), std::pair("coupling tolerance", ", tolerance ")})
    for (const auto& fact : result.facts)
      if (fact.name == name) title += before + fact.value;
  return title;
}

int plot(const PlotOptions& o) {
  require(!o.trust || o.names.empty(), "--trust draws step sizes and errors; remove the names of variables");
  const auto result = record::read_result(o.result);
  const std::string title = title_of(o, result);
  if (o.terminal) {
    const bool colour = isatty(STDOUT_FILENO) != 0;
    const draw::TerminalOptions options{title, o.width > 0 ? o.width : terminal_width(), o.height > 0 ? o.height : 20,
                                        colour};
    fmt::print("{}",
               o.trust ? draw::plot_trust_terminal(result, options) : draw::plot_terminal(result, o.names, options));
    if (o.output_files.empty()) return 0;
  }
  draw::PlotOptions options;
  options.title = title;
  if (o.width > 0 && !o.terminal) options.width = o.width;
  if (o.height > 0 && !o.terminal) options.panel_height = o.height;
  auto files = o.output_files;
  if (files.empty())
    files.push_back(std::filesystem::path(o.result).stem().string() + (o.trust ? "_trust.svg" : ".svg"));
  for (const auto& file : files) {
    const auto ending = std::filesystem::path(file).extension();
    require(ending == ".svg" || ending == ".html",
            "{}: plots are written as .svg or .html; choose one of these endings", file);
    write_file(file, picture(result, o, options, ending == ".svg"), "the plot");
    const auto note = ending == ".svg" ? draw::thinning_note(result, options) : std::string();
    if (!note.empty()) fmt::print(stderr, "note: {}; a .html file can be zoomed\n", note);
  }
  return 0;
}

}  // namespace

void add_plot(CLI::App& app, Action& action) {
  auto o = std::make_shared<PlotOptions>();
  auto& c = *app.add_subcommand("plot", "draw a result as SVG, as a zoomable HTML page, or in the terminal");
  c.add_option("RESULT", o->result, "a result file")->required();
  c.add_option("NAME", o->names, "variables to draw (default: all numbers)");
  c.add_option(
       "--output-file,-o", o->output_files,
       "NAME.svg or NAME.html, any number of times (default: RESULT.svg in the current folder, or RESULT_trust.svg "
       "with --trust)")
      ->take_all()
      ->allow_extra_args(false);
  c.add_flag(
      "--trust", o->trust,
      "for a run with a controller: draw step sizes with rejected steps, coupling errors, and the unit that limits "
      "the step");
  c.add_flag("--terminal", o->terminal, "draw in the terminal");
  c.add_option("--title", o->title, "title (default: the name of the file)");
  c.add_option("--width", o->width, "width in pixels, or characters in the terminal")->check(positive);
  c.add_option("--height", o->height, "height of a panel in pixels, or of the whole plot in lines in the terminal")
      ->check(positive);
  c.callback([o, &action] { action = [o] { return plot(*o); }; });
}

}  // namespace consort::cli
