#include "ssp/xml_in.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "ssp/read.hpp"

namespace consort::ssp {

std::string_view local_name(std::string_view name) {
  const auto colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

std::optional<double> read_double(std::string_view text) {
  text = trim(text);
  if (text == "INF" || text == "+INF") return std::numeric_limits<double>::infinity();
  if (text == "-INF") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<bool> read_bool(std::string_view text) {
  text = trim(text);
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

// --- XML that is kept unchanged --------------------------------------------------------------------------------------

namespace {

std::string_view prefix_of(std::string_view name) {
  const auto colon = name.find(':');
  return colon == std::string_view::npos ? std::string_view() : name.substr(0, colon);
}

// The namespace prefixes used by an element and its descendants; "" for names without a prefix.
void collect_prefixes(pugi::xml_node node, std::vector<std::string>& prefixes) {
  const auto add = [&](std::string_view prefix) {
    if (std::find(prefixes.begin(), prefixes.end(), prefix) == prefixes.end()) prefixes.emplace_back(prefix);
  };
  if (node.type() == pugi::node_element) add(prefix_of(node.name()));
  for (const auto a : node.attributes())
    if (const auto prefix = prefix_of(a.name()); !prefix.empty() && prefix != "xmlns" && prefix != "xml") add(prefix);
  for (const auto child : node.children()) collect_prefixes(child, prefixes);
}

// Declares on `copy` the namespaces that it uses and that an element around `original` declares.
void declare_namespaces(pugi::xml_node original, pugi::xml_node copy) {
  std::vector<std::string> prefixes;
  collect_prefixes(original, prefixes);
  for (const auto& prefix : prefixes) {
    const std::string name = prefix.empty() ? "xmlns" : "xmlns:" + prefix;
    if (copy.attribute(name.c_str())) continue;
    for (auto around = original.parent(); around; around = around.parent()) {
      const auto declaration = around.attribute(name.c_str());
      if (!declaration) continue;
      copy.append_attribute(name.c_str()) = declaration.value();
      break;
    }
  }
}

}  // namespace

std::string inner_xml(pugi::xml_node node) {
  std::string text;
  for (const auto child : node.children()) {
    if (child.type() != pugi::node_element) {
      text += xml_text(child);
      continue;
    }
    pugi::xml_document copy;
    declare_namespaces(child, copy.append_copy(child));
    text += xml_text(copy.document_element());
  }
  return text;
}

// --- elements --------------------------------------------------------------------------------------------------------

void XmlIn::add(Severity severity, std::string message) {
  diagnostics_.add({severity, document_.shown(), document_.line(node_), std::string(schema_rule), std::move(message)});
}

void XmlIn::version(const std::string& text) {
  is_1_0_ = text.starts_with("1.");
  if (!is_1_0_ && text != "2.0" && !text.empty())
    add(Severity::warning, fmt::format("version {} is read as 2.0; the versions of SSP are 1.0 and 2.0", quote(text)));
}

void XmlIn::since_2_0(bool used, const char* what) {
  if (used && is_1_0_)
    add(Severity::warning, fmt::format("{} is new in SSP 2.0, but the file has version 1.0; it is used anyway", what));
}

pugi::xml_attribute XmlIn::find(const char* name) {
  attributes_.emplace_back(name);
  return node_.attribute(name);
}

std::string_view XmlIn::know(std::string_view name) {
  children_.push_back(local_name(name));
  return children_.back();
}

pugi::xml_node XmlIn::single(std::string_view name) {
  const auto wanted = know(name);
  pugi::xml_node found;
  for (const auto node : node_.children()) {
    if (local_name(node.name()) != wanted) continue;
    if (found) {
      add(Severity::error, fmt::format("<{}> has several <{}>; only the first one is used", node_.name(), name));
      break;
    }
    found = node;
  }
  return found;
}

bool XmlIn::has_foreign() const {
  return std::any_of(node_.children().begin(), node_.children().end(), [](const pugi::xml_node& child) {
    const auto name = local_name(child.name());
    return name != "MetaData" && name != "Signature";
  });
}

void XmlIn::report_unknown() {
  const auto knows = [](const auto& known, std::string_view name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  for (const auto a : node_.attributes()) {
    const std::string_view name = a.name();
    if (name == "xmlns" || name.find(':') != std::string_view::npos || knows(attributes_, name)) continue;
    add(Severity::warning, fmt::format("<{}> has no attribute {} in the standard{}; it is ignored", node_.name(),
                                       quote(name), suggestion(name, attributes_)));
  }
  if (all_children_known_) return;
  for (const auto child : node_.children()) {
    if (child.type() != pugi::node_element || knows(children_, local_name(child.name()))) continue;
    diagnostics_.add({Severity::warning, document_.shown(), document_.line(child), std::string(schema_rule),
                      fmt::format("<{}> has no child <{}> in the standard{}; it is ignored", node_.name(), child.name(),
                                  suggestion(local_name(child.name()), children_))});
  }
}

void XmlIn::convert(const char* name, const char* text, bool& value) {
  if (const auto read = read_bool(text)) {
    value = *read;
  } else {
    add(Severity::error, fmt::format("{}={} is neither true nor false; correct it", name, quote(text)));
  }
}

void XmlIn::inner(std::string& xml) {
  all_children_known_ = true;
  xml = inner_xml(node_);
}

void XmlIn::data_type(DataType& type, Need need) {
  for (const auto child : node_.children()) {
    const auto kind = type_kind(local_name(child.name()));
    if (kind == TypeKind::none || (kind == TypeKind::clock && child.attribute("name"))) continue;
    static_cast<void>(know(child.name()));
    if (type.kind != TypeKind::none)
      return add(Severity::error, fmt::format("<{}> has several types; only the first one is used", node_.name()));
    type.kind = kind;
    XmlIn inside(document_, child, diagnostics_, is_1_0_);
    type_fields(inside, type);
    inside.report_unknown();
    since_2_0(kind != TypeKind::real && kind != TypeKind::integer && kind != TypeKind::boolean &&
                  kind != TypeKind::string && kind != TypeKind::enumeration && kind != TypeKind::binary,
              child.name());
  }
  if (type.kind == TypeKind::none && need == Need::required)
    add(Severity::error, fmt::format("<{}> has no type; add one, such as <ssc:Real/>", node_.name()));
}

void XmlIn::transformation(Transformation& t) {
  using Kind = Transformation::Kind;
  constexpr std::pair<std::string_view, Kind> kinds[] = {{"LinearTransformation", Kind::linear},
                                                         {"BooleanMappingTransformation", Kind::boolean},
                                                         {"IntegerMappingTransformation", Kind::integer},
                                                         {"EnumerationMappingTransformation", Kind::enumeration}};
  for (const auto& [name, kind] : kinds) {
    const auto node = single(name);
    if (!node) continue;
    if (t.kind != Kind::none)
      return add(Severity::error,
                 fmt::format("<{}> has several transformations; only the first one is used", node_.name()));
    t.kind = kind;
    t.line.number = document_.line(node);
    XmlIn inside(document_, node, diagnostics_, is_1_0_);
    if (kind == Kind::linear) {
      inside.defaulted("factor", t.factor, 1);
      inside.defaulted("offset", t.offset, 0);
    }
    for (const auto entry : node.children()) {
      if (local_name(entry.name()) != "MapEntry") continue;
      XmlIn map(document_, entry, diagnostics_, is_1_0_);
      auto& [source, target] = t.entries.emplace_back();
      map.attribute("source", source, Need::required);
      map.attribute("target", target, Need::required);
    }
  }
}

void XmlIn::value_elements(pugi::xml_node node, std::vector<std::string>& values) {
  for (const auto child : node.children()) {
    if (local_name(child.name()) != "Value") continue;
    XmlIn inside(document_, child, diagnostics_, is_1_0_);
    inside.attribute("value", values.emplace_back(), Need::required);
  }
}

void XmlIn::parameter_value(Parameter& p) {
  pugi::xml_node node;
  for (const auto child : node_.children()) {
    if (type_kind(local_name(child.name())) == TypeKind::none) continue;
    static_cast<void>(know(child.name()));
    if (!node) node = child;
  }
  if (!node)
    return add(Severity::error,
               fmt::format("the parameter {} has no value; add one, such as <ssv:Real value=\"1\"/>", quote(p.name)));
  p.kind = type_kind(local_name(node.name()));
  XmlIn inside(document_, node, diagnostics_, is_1_0_);
  const bool text = p.kind == TypeKind::string || p.kind == TypeKind::enumeration || p.kind == TypeKind::binary;
  std::optional<std::string> value;
  inside.attribute("value", value);
  value_elements(node, p.values);
  if (value && !p.values.empty()) {
    add(Severity::error, fmt::format("the parameter {} has both an attribute 'value' and <Value> elements; the "
                                     "elements count",
                                     quote(p.name)));
  } else if (value && text) {
    p.values.push_back(std::move(*value));
  } else if (value) {
    for (const auto part : split_white(*value)) p.values.emplace_back(part);
  }
  if (p.values.empty() && p.dimensions.empty() && !node.attribute("value") && !text)
    add(Severity::error, fmt::format("the parameter {} has no value; add one", quote(p.name)));
  inside.attribute("unit", p.unit);
  inside.attribute("name", p.enumeration);
  inside.defaulted("mime-type", p.mime_type, default_mime_type);
}

// <Clock> has two meanings among the children of a connector: ssc:Clock is the type of a clock, ssd:Clock (with a name)
// is a clock that the connector belongs to.
void XmlIn::clocks(std::vector<std::string>& names) {
  static_cast<void>(know("Clock"));
  for (const auto child : node_.children())
    if (local_name(child.name()) == "Clock" && child.attribute("name"))
      names.emplace_back(child.attribute("name").value());
}

void XmlIn::elements(System& system) {
  const auto node = single("ssd:Elements");
  if (!node) return;
  XmlIn inside(document_, node, diagnostics_, is_1_0_);
  for (const auto name : {"Component", "SignalDictionaryReference", "System"}) static_cast<void>(inside.know(name));
  for (const auto child : node.children()) {
    const auto name = local_name(child.name());
    if (name == "Component") {
      system.order.push_back(System::Kind::component);
      read_child(child, system.components.emplace_back());
    } else if (name == "SignalDictionaryReference") {
      system.order.push_back(System::Kind::reference);
      read_child(child, system.references.emplace_back());
    } else if (name == "System") {
      system.order.push_back(System::Kind::system);
      read_child(child, system.systems.emplace_back());
    }
  }
  inside.report_unknown();
}

}  // namespace consort::ssp
