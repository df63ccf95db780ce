#include <iterator>

#include <fmt/format.h>

#include "draw/diagram.hpp"
#include "draw/diagram_model.hpp"
#include "draw/text.hpp"

namespace consort::draw {

namespace {

std::string quoted_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Nodes: units, named by their path of indices ("n0_2"), and connectors of systems, drawn as small points.
class DotWriter {
 public:
  std::string operator()(const Block& root) {
    put("digraph {} {{\n  rankdir=LR;\n  node [shape=box, fontname=\"Helvetica\", fontsize=11];\n"
        "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#5A6470\"];\n",
        quoted_text(root.title));
    block(root, "n", 1);
    put("}}\n");
    return std::move(out_);
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
  }

  static std::string pin_name(const Block& b, const std::string& id, const Pin& pin, bool sink) {
    if (pin.box == the_frame) return fmt::format("{}_{}{}", id, sink ? 'o' : 'i', pin.port);
    auto child = fmt::format("{}_{}", id, pin.box);
    if (!b.children[pin.box].is_system) return child;
    return fmt::format("{}_{}{}", child, sink ? 'i' : 'o', pin.port);
  }
  static const std::string& port_name(const Block& b, const Pin& pin, bool sink) {
    if (pin.box == the_frame) return (sink ? b.outputs : b.inputs)[pin.port].name;
    return (sink ? b.children[pin.box].inputs : b.children[pin.box].outputs)[pin.port].name;
  }

  void block(const Block& b, const std::string& id, int level) {
    const std::string indent(2 * static_cast<std::size_t>(level), ' ');
    for (const bool sink : {false, true}) {
      const auto& ports = sink ? b.outputs : b.inputs;
      for (std::size_t i = 0; i < ports.size(); ++i)
        put("{}{}_{}{} [shape=cds, fontsize=9, label={}];\n", indent, id, sink ? 'o' : 'i', i,
            quoted_text(ports[i].name));
    }
    for (std::size_t i = 0; i < b.children.size(); ++i) {
      const auto& child = b.children[i];
      const auto name = fmt::format("{}_{}", id, i);
      if (!child.is_system) {
        put("{}{} [label={}, tooltip={}];\n", indent, name, quoted_text(child.title), quoted_text(child.note));
        continue;
      }
      put("{}subgraph cluster_{} {{\n{}  label={};\n", indent, name, indent, quoted_text(child.title));
      block(child, name, level + 1);
      put("{}}}\n", indent);
    }
    for (const auto& net : b.nets) {
      for (const auto& sink : net.sinks) {
        const auto label = net.signals > 1
                               ? fmt::format("{} signals", net.signals)
                               : fmt::format("{} → {}", port_name(b, net.source, false), port_name(b, sink.pin, true));
        put("{}{} -> {} [label={}{}];\n", indent, pin_name(b, id, net.source, false), pin_name(b, id, sink.pin, true),
            quoted_text(label),
            sink.loop == no_loop ? ""
                                 : fmt::format(", color=\"#D55E00\", penwidth=2, class=\"loop{}\"", sink.loop + 1));
      }
    }
  }

  std::string out_;
};

}  // namespace

std::string diagram_dot(const graph::System& system, const graph::Plan& plan, const DiagramOptions& options) {
  Block root = block_of(system, plan);
  if (!options.title.empty()) root.title = options.title;
  return DotWriter()(root);
}

}  // namespace consort::draw
