// The attributes and children of every element of the SSP schemas, for both reading and writing. Internal to ssp/.
//
// `fields(f, x)` passes the attributes of `x`, then its children in the order of the schema, to `f`, which is an XmlIn
// (read.cpp) or an XmlOut (write.cpp). Names of children have the prefix of their namespace.
#pragma once

#include <string_view>
#include <type_traits>

#include "ssp/document.hpp"

namespace consort::ssp {

// T, const for writing.
template <class F, class T>
using Of = std::conditional_t<F::writes, const T, T>;

// Required: a missing attribute is an error on reading, and an empty one is written. Optional: neither.
enum class Need : std::uint8_t { required, optional };

// --- common content --------------------------------------------------------------------------------------------------

template <class F>
void base_fields(F& f, Of<F, Base>& x) {
  f.position(x.line);
  f.attribute("id", x.id);
  f.attribute("description", x.description);
}

template <class F>
void fields(F& f, Of<F, Annotation>& x) {
  f.position(x.line);
  f.attribute("type", x.type, Need::required);
  f.inner(x.xml);
}

template <class F>
void annotations_of(F& f, std::string_view element, Of<F, Annotations>& x) {
  f.list(element, "ssc:Annotation", x);
}

template <class F>
void fields(F& f, Of<F, Content>& x) {
  base_fields(f, x);
  f.inner(x.xml);
}

template <class F>
void fields(F& f, Of<F, Signature>& x) {
  base_fields(f, x);
  f.attribute("role", x.role, Need::required);
  f.attribute("type", x.type, Need::required);
  f.attribute("source", x.source);
  f.defaulted("sourceBase", x.source_base, "file");
  f.children("ssc:Content", x.content);
}

template <class F>
void fields(F& f, Of<F, MetaData>& x) {
  base_fields(f, x);
  f.attribute("kind", x.kind, Need::required);
  f.attribute("type", x.type, Need::required);
  f.attribute("source", x.source);
  f.defaulted("sourceBase", x.source_base, "file");
  f.children("ssc:Content", x.content);
  f.children("ssc:Signature", x.signatures);
}

template <class F>
void provenance_of(F& f, Of<F, Provenance>& x) {
  f.children("ssc:MetaData", x.meta_data);
  f.since_2_0(!x.meta_data.empty(), "MetaData");
  f.children("ssc:Signature", x.signatures);
  f.since_2_0(!x.signatures.empty(), "Signature");
}

template <class F>
void top_level_fields(F& f, Of<F, TopLevel>& x) {
  f.attribute("version", x.version, Need::required);
  f.version(x.version);
  base_fields(f, x);
  f.attribute("author", x.author);
  f.attribute("fileversion", x.fileversion);
  f.attribute("copyright", x.copyright);
  f.attribute("license", x.license);
  f.attribute("generationTool", x.generation_tool);
  f.attribute("generationDateAndTime", x.generation_date_and_time);
}

template <class F>
void fields(F& f, Of<F, EnumerationItem>& x) {
  f.attribute("name", x.name, Need::required);
  f.attribute("value", x.value, Need::required);
}
template <class F>
void fields(F& f, Of<F, Enumeration>& x) {
  base_fields(f, x);
  f.attribute("name", x.name, Need::required);
  f.children("ssc:Item", x.items);
  annotations_of(f, "ssc:Annotations", x.annotations);
}

inline constexpr const char* base_unit_attributes[8] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
template <class F>
void fields(F& f, Of<F, BaseUnit>& x) {
  for (std::size_t i = 0; i < x.exponents.size(); ++i) f.defaulted(base_unit_attributes[i], x.exponents[i], 0);
  f.defaulted("factor", x.factor, 1);
  f.defaulted("offset", x.offset, 0);
}
template <class F>
void fields(F& f, Of<F, Unit>& x) {
  base_fields(f, x);
  f.attribute("name", x.name, Need::required);
  f.child("ssc:BaseUnit", x.base);
  annotations_of(f, "ssc:Annotations", x.annotations);
}

template <class F>
void fields(F& f, Of<F, Dimension>& x) {
  f.attribute("size", x.size);
  f.attribute("sizeConnector", x.size_connector);
}
template <class F>
void dimensions_of(F& f, Of<F, std::vector<Dimension>>& x) {
  f.children("ssc:Dimension", x);
  f.since_2_0(!x.empty(), "Dimension");
}

// Attributes of the element that gives a type.
template <class F>
void type_fields(F& f, Of<F, DataType>& x) {
  switch (x.kind) {
    case TypeKind::real:
    case TypeKind::float64:
    case TypeKind::float32: f.attribute("unit", x.unit); break;
    case TypeKind::enumeration: f.attribute("name", x.enumeration, Need::required); break;
    case TypeKind::binary: f.defaulted("mime-type", x.mime_type, default_mime_type); break;
    case TypeKind::clock:
      f.attribute("intervalVariability", x.clock.interval_variability);
      f.attribute("intervalDecimal", x.clock.interval_decimal);
      f.defaulted("shiftDecimal", x.clock.shift_decimal, 0);
      f.defaulted("supportsFraction", x.clock.supports_fraction, false);
      f.attribute("resolution", x.clock.resolution);
      f.attribute("intervalCounter", x.clock.interval_counter);
      f.defaulted("shiftCounter", x.clock.shift_counter, 0);
      f.attribute("priority", x.clock.priority);
      break;
    default: break;
  }
}

// --- parameter values and mappings -----------------------------------------------------------------------------------

template <class F>
void fields(F& f, Of<F, Parameter>& x) {
  base_fields(f, x);
  f.attribute("name", x.name, Need::required);
  f.parameter_value(x);
  dimensions_of(f, x.dimensions);
  annotations_of(f, "ssv:Annotations", x.annotations);
}
template <class F>
void fields(F& f, Of<F, ParameterSet>& x) {
  top_level_fields(f, x);
  f.attribute("name", x.name, Need::required);
  f.list("ssv:Parameters", "ssv:Parameter", x.parameters, Need::required);
  f.list("ssv:Enumerations", "ssc:Enumeration", x.enumerations);
  f.list("ssv:Units", "ssc:Unit", x.units);
  provenance_of(f, x.provenance);
  annotations_of(f, "ssv:Annotations", x.annotations);
}

template <class F>
void fields(F& f, Of<F, MappingEntry>& x) {
  base_fields(f, x);
  f.attribute("source", x.source, Need::required);
  f.attribute("target", x.target, Need::required);
  f.defaulted("suppressUnitConversion", x.suppress_unit_conversion, false);
  f.transformation(x.transformation);
  annotations_of(f, "ssm:Annotations", x.annotations);
}
template <class F>
void fields(F& f, Of<F, ParameterMapping>& x) {
  top_level_fields(f, x);
  f.children("ssm:MappingEntry", x.entries);
  provenance_of(f, x.provenance);
  annotations_of(f, "ssm:Annotations", x.annotations);
}

// --- signal dictionaries ---------------------------------------------------------------------------------------------

template <class F>
void fields(F& f, Of<F, DictionaryEntry>& x) {
  base_fields(f, x);
  f.attribute("name", x.name, Need::required);
  f.data_type(x.type, Need::required);
  dimensions_of(f, x.dimensions);
  annotations_of(f, "ssb:Annotations", x.annotations);
}
template <class F>
void fields(F& f, Of<F, SignalDictionary>& x) {
  top_level_fields(f, x);
  f.children("ssb:DictionaryEntry", x.entries);
  f.list("ssb:Enumerations", "ssc:Enumeration", x.enumerations);
  f.list("ssb:Units", "ssc:Unit", x.units);
  provenance_of(f, x.provenance);
  annotations_of(f, "ssb:Annotations", x.annotations);
}

// --- system structures -----------------------------------------------------------------------------------------------

template <class F>
void fields(F& f, Of<F, ConnectorGeometry>& x) {
  f.attribute("x", x.x, Need::required);
  f.attribute("y", x.y, Need::required);
  f.attribute("systemInnerX", x.system_inner_x);
  f.since_2_0(x.system_inner_x.has_value(), "systemInnerX");
  f.attribute("systemInnerY", x.system_inner_y);
  f.since_2_0(x.system_inner_y.has_value(), "systemInnerY");
}
template <class F>
void fields(F& f, Of<F, Connector>& x) {
  base_fields(f, x);
  f.attribute("name", x.name, Need::required);
  f.attribute("kind", x.kind, Need::required);
  f.data_type(x.type, Need::optional);
  dimensions_of(f, x.dimensions);
  f.clocks(x.clocks);
  f.children("ssd:ConnectorGeometry", x.geometry);
  annotations_of(f, "ssd:Annotations", x.annotations);
}

template <class F>
void fields(F& f, Of<F, ElementGeometry>& x) {
  f.attribute("x1", x.x1, Need::required);
  f.attribute("y1", x.y1, Need::required);
  f.attribute("x2", x.x2, Need::required);
  f.attribute("y2", x.y2, Need::required);
  f.defaulted("rotation", x.rotation, 0);
  f.attribute("iconSource", x.icon_source);
  f.defaulted("iconRotation", x.icon_rotation, 0);
  f.defaulted("iconFlip", x.icon_flip, false);
  f.defaulted("iconFixedAspectRatio", x.icon_fixed_aspect_ratio, false);
}

template <class F>
void fields(F& f, Of<F, BindingMapping>& x) {
  base_fields(f, x);
  f.defaulted("type", x.type, parameter_mapping_type);
  f.attribute("source", x.source);
  f.defaulted("sourceBase", x.source_base, "SSD");
  f.inlined("ssm:ParameterMapping", x.inlined, x.foreign);
  provenance_of(f, x.provenance);
}
template <class F>
void fields(F& f, Of<F, ParameterBinding>& x) {
  base_fields(f, x);
  f.defaulted("type", x.type, parameter_set_type);
  f.attribute("source", x.source);
  f.defaulted("sourceBase", x.source_base, "SSD");
  f.attribute("prefix", x.prefix);
  f.inlined_in("ssd:ParameterValues", "ssv:ParameterSet", x.inlined, x.foreign);
  f.children("ssd:ParameterMapping", x.mapping);
  provenance_of(f, x.provenance);
  annotations_of(f, "ssd:Annotations", x.annotations);
}

template <class F>
void element_attributes(F& f, Of<F, Element>& x) {
  base_fields(f, x);
  f.attribute("name", x.name, Need::required);
}
template <class F>
void element_children(F& f, Of<F, Element>& x) {
  f.list("ssd:Connectors", "ssd:Connector", x.connectors);
  f.children("ssd:ElementGeometry", x.geometry);
  f.list("ssd:ParameterBindings", "ssd:ParameterBinding", x.bindings);
  provenance_of(f, x.provenance);
}

template <class F>
void fields(F& f, Of<F, Component>& x) {
  element_attributes(f, x);
  f.defaulted("type", x.type, fmu_type);
  f.attribute("source", x.source);
  f.since_2_0(!x.source, "a Component without source");
  f.defaulted("implementation", x.implementation, "any");
  f.since_2_0(x.implementation == "ScheduledExecution", "implementation=\"ScheduledExecution\"");
  element_children(f, x);
  annotations_of(f, "ssd:Annotations", x.annotations);
}
template <class F>
void fields(F& f, Of<F, SignalDictionaryReference>& x) {
  element_attributes(f, x);
  f.attribute("dictionary", x.dictionary, Need::required);
  element_children(f, x);
  annotations_of(f, "ssd:Annotations", x.annotations);
}

template <class F>
void fields(F& f, Of<F, ConnectionGeometry>& x) {
  f.numbers("pointsX", x.points_x, Need::required);
  f.numbers("pointsY", x.points_y, Need::required);
}
template <class F>
void fields(F& f, Of<F, Connection>& x) {
  base_fields(f, x);
  f.attribute("startElement", x.start_element);
  f.attribute("startConnector", x.start_connector, Need::required);
  f.numbers("startIndices", x.start_indices);
  f.attribute("endElement", x.end_element);
  f.attribute("endConnector", x.end_connector, Need::required);
  f.numbers("endIndices", x.end_indices);
  f.since_2_0(!x.start_indices.empty() || !x.end_indices.empty(), "indices of a Connection");
  f.defaulted("suppressUnitConversion", x.suppress_unit_conversion, false);
  f.transformation(x.transformation);
  f.children("ssd:ConnectionGeometry", x.geometry);
  annotations_of(f, "ssd:Annotations", x.annotations);
}

template <class F>
void fields(F& f, Of<F, SystemDictionary>& x) {
  base_fields(f, x);
  f.defaulted("type", x.type, signal_dictionary_type);
  f.attribute("source", x.source);
  f.attribute("name", x.name, Need::required);
  f.inlined("ssb:SignalDictionary", x.inlined, x.foreign);
  provenance_of(f, x.provenance);
}

template <class F, class T>
void corners(F& f, T& x) {
  f.attribute("x1", x.x1, Need::required);
  f.attribute("y1", x.y1, Need::required);
  f.attribute("x2", x.x2, Need::required);
  f.attribute("y2", x.y2, Need::required);
}
template <class F>
void fields(F& f, Of<F, SystemGeometry>& x) {
  corners(f, x);
}
template <class F>
void fields(F& f, Of<F, Note>& x) {
  corners(f, x);
  f.attribute("text", x.text, Need::required);
}

template <class F>
void fields(F& f, Of<F, System>& x) {
  element_attributes(f, x);
  element_children(f, x);
  f.elements(x);
  f.list("ssd:Connections", "ssd:Connection", x.connections);
  f.list("ssd:SignalDictionaries", "ssd:SignalDictionary", x.dictionaries);
  f.children("ssd:SystemGeometry", x.system_geometry);
  f.list("ssd:GraphicalElements", "ssd:Note", x.notes);
  annotations_of(f, "ssd:Annotations", x.annotations);
}

template <class F>
void fields(F& f, Of<F, DefaultExperiment>& x) {
  f.position(x.line);
  f.attribute("startTime", x.start_time);
  f.attribute("stopTime", x.stop_time);
  annotations_of(f, "ssd:Annotations", x.annotations);
}
template <class F>
void fields(F& f, Of<F, SystemStructure>& x) {
  top_level_fields(f, x);
  f.attribute("name", x.name, Need::required);
  f.child("ssd:System", x.system);
  f.list("ssd:Enumerations", "ssc:Enumeration", x.enumerations);
  f.list("ssd:Units", "ssc:Unit", x.units);
  f.children("ssd:DefaultExperiment", x.default_experiment);
  provenance_of(f, x.provenance);
  annotations_of(f, "ssd:Annotations", x.annotations);
}

}  // namespace consort::ssp
