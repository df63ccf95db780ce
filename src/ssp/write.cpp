#include "ssp/write.hpp"

#include <cmath>
#include <sstream>

#include "base/error.hpp"
#include "ssp/xml_out.hpp"

namespace consort::ssp {

namespace {

bool is_in_1_0(TypeKind kind) {
  switch (kind) {
    case TypeKind::none:
    case TypeKind::real:
    case TypeKind::integer:
    case TypeKind::boolean:
    case TypeKind::string:
    case TypeKind::enumeration:
    case TypeKind::binary: return true;
    default: return false;
  }
}

template <class T>
constexpr const char* prefixed_root = "";
template <>
constexpr const char* prefixed_root<SystemStructure> = "ssd:SystemStructureDescription";
template <>
constexpr const char* prefixed_root<ParameterSet> = "ssv:ParameterSet";
template <>
constexpr const char* prefixed_root<ParameterMapping> = "ssm:ParameterMapping";
template <>
constexpr const char* prefixed_root<SignalDictionary> = "ssb:SignalDictionary";

constexpr std::pair<const char*, const char*> namespaces[] = {
    {"ssd", "http://ssp-standard.org/SSP1/SystemStructureDescription"},
    {"ssc", "http://ssp-standard.org/SSP1/SystemStructureCommon"},
    {"ssv", "http://ssp-standard.org/SSP1/SystemStructureParameterValues"},
    {"ssm", "http://ssp-standard.org/SSP1/SystemStructureParameterMapping"},
    {"ssb", "http://ssp-standard.org/SSP1/SystemStructureSignalDictionary"}};

void declare_namespaces(pugi::xml_node root, std::string_view own) {
  for (const auto& [prefix, uri] : namespaces) {
    const bool needed = own == "ssd" || own == prefix || std::string_view(prefix) == "ssc";
    if (needed) root.append_attribute(fmt::format("xmlns:{}", prefix).c_str()) = uri;
  }
}

}  // namespace

std::string double_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "INF" : "-INF";
  return fmt::format("{}", value);
}

void XmlOut::since_2_0(bool used, const char* what) const {
  require(!used || !is_1_0_, "<{}>: {} cannot be written as SSP 1.0; write version 2.0", node_.name(), what);
}

void XmlOut::inner(const std::string& xml) {
  if (!xml.empty()) node_.append_buffer(xml.data(), xml.size(), pugi::parse_default | pugi::parse_fragment);
}

void XmlOut::data_type(const DataType& type, Need /*need*/) {
  if (type.kind == TypeKind::none) return;
  const std::string name = fmt::format("ssc:{}", name_of(type.kind));
  since_2_0(!is_in_1_0(type.kind), name.c_str());
  XmlOut inside(node_.append_child(name.c_str()), is_1_0_);
  type_fields(inside, type);
}

void XmlOut::transformation(const Transformation& t) {
  using Kind = Transformation::Kind;
  if (t.kind == Kind::none) return;
  constexpr const char* names[] = {"", "ssc:LinearTransformation", "ssc:BooleanMappingTransformation",
                                   "ssc:IntegerMappingTransformation", "ssc:EnumerationMappingTransformation"};
  XmlOut inside(node_.append_child(names[static_cast<std::size_t>(t.kind)]), is_1_0_);
  if (t.kind == Kind::linear) {
    inside.defaulted("factor", t.factor, 1);
    inside.defaulted("offset", t.offset, 0);
    return;
  }
  for (const auto& [source, target] : t.entries) {
    XmlOut entry(inside.node_.append_child("ssc:MapEntry"), is_1_0_);
    entry.put("source", source);
    entry.put("target", target);
  }
}

void XmlOut::parameter_value(const Parameter& p) {
  const std::string name = fmt::format("ssv:{}", name_of(p.kind));
  since_2_0(!is_in_1_0(p.kind), name.c_str());
  since_2_0(p.values.size() != 1, "an array of values");
  XmlOut inside(node_.append_child(name.c_str()), is_1_0_);
  const bool as_text = p.kind == TypeKind::string || p.kind == TypeKind::enumeration || p.kind == TypeKind::binary;
  if (p.values.size() == 1) {
    inside.put("value", p.values.front());
  } else if (as_text) {
    for (const auto& v : p.values) XmlOut(inside.node_.append_child("ssv:Value"), is_1_0_).put("value", v);
  } else {
    std::string all;
    for (const auto& v : p.values) all += (all.empty() ? "" : " ") + v;
    inside.put("value", all);
  }
  inside.attribute("unit", p.unit);
  inside.attribute("name", p.enumeration);
  inside.defaulted("mime-type", p.mime_type, default_mime_type);
}

void XmlOut::clocks(const std::vector<std::string>& names) {
  since_2_0(!names.empty(), "the clock of a connector");
  for (const auto& name : names) XmlOut(node_.append_child("ssd:Clock"), is_1_0_).put("name", name);
}

void XmlOut::elements(const System& system) {
  if (system.components.empty() && system.references.empty() && system.systems.empty()) return;
  XmlOut inside(node_.append_child("ssd:Elements"), is_1_0_);
  std::size_t component = 0, reference = 0, nested = 0;
  for (const auto kind : system.order) {
    if (kind == System::Kind::component) inside.child("ssd:Component", system.components.at(component++));
    if (kind == System::Kind::reference)
      inside.child("ssd:SignalDictionaryReference", system.references.at(reference++));
    if (kind == System::Kind::system) inside.child("ssd:System", system.systems.at(nested++));
  }
}

template <class T>
std::string write(const T& x) {
  pugi::xml_document document;
  auto declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  const char* const name = prefixed_root<T>;
  auto root = document.append_child(name);
  declare_namespaces(root, std::string_view(name).substr(0, 3));
  XmlOut(root).write(x);
  std::ostringstream out;
  document.save(out, "  ", pugi::format_indent, pugi::encoding_utf8);
  return std::move(out).str();
}

template std::string write(const SystemStructure&);
template std::string write(const ParameterSet&);
template std::string write(const ParameterMapping&);
template std::string write(const SignalDictionary&);

}  // namespace consort::ssp
