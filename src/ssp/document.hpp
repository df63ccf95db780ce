// The contents of the files of the SSP standard (1.0 and 2.0): system structures (SSD), parameter values (SSV),
// parameter mappings (SSM) and signal dictionaries (SSB). The data is complete, so that a file can be read and written
// again. References are not resolved; see ssp/to_system.hpp for that.
//
// A field that a file does not give has the standard's default, and a default is not written. Names are those of the
// standard.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace consort::ssp {

enum class Version : std::uint8_t { v1_0, v2_0 };
[[nodiscard]] std::string_view name_of(Version version);  // "1.0"

// Line of an element in its file, for messages. Comparisons ignore it.
struct Line {
  std::uint32_t number = 0;
  bool operator==(const Line&) const { return true; }
};

struct Base {
  std::string id{};
  std::string description{};
  Line line{};
  bool operator==(const Base&) const = default;
};

// Arbitrary XML that declares the namespaces it uses.
struct Annotation {
  std::string type{};
  std::string xml{};
  Line line{};
  bool operator==(const Annotation&) const = default;
};
using Annotations = std::vector<Annotation>;

struct Content : Base {
  std::string xml{};
  bool operator==(const Content&) const = default;
};
struct Signature : Base {
  std::string role{};
  std::string type{};
  std::optional<std::string> source{};
  std::string source_base = "file";
  std::vector<Content> content{};  // at most one
  bool operator==(const Signature&) const = default;
};
struct MetaData : Base {
  std::string kind{};
  std::string type{};
  std::optional<std::string> source{};
  std::string source_base = "file";
  std::vector<Content> content{};  // at most one
  std::vector<Signature> signatures{};
  bool operator==(const MetaData&) const = default;
};
// Origin of an element (SSP 2.0).
struct Provenance {
  std::vector<MetaData> meta_data{};
  std::vector<Signature> signatures{};
  bool operator==(const Provenance&) const = default;
};

// Common part of all root elements.
struct TopLevel : Base {
  std::string version = "1.0";
  std::string author{};
  std::string fileversion{};
  std::string copyright{};
  std::string license{};
  std::string generation_tool{};
  std::string generation_date_and_time{};
  bool operator==(const TopLevel&) const = default;
};

// --- common content --------------------------------------------------------------------------------------------------

struct EnumerationItem {
  std::string name{};
  std::int64_t value = 0;
  bool operator==(const EnumerationItem&) const = default;
};
struct Enumeration : Base {
  std::string name{};
  std::vector<EnumerationItem> items{};
  Annotations annotations{};
  bool operator==(const Enumeration&) const = default;
};

struct BaseUnit {
  std::array<std::int64_t, 8> exponents{};  // kg, m, s, A, K, mol, cd, rad
  double factor = 1;
  double offset = 0;
  bool operator==(const BaseUnit&) const = default;
};
struct Unit : Base {
  std::string name{};
  BaseUnit base{};
  Annotations annotations{};
  bool operator==(const Unit&) const = default;
};

enum class TypeKind : std::uint8_t {
  none,
  real,
  float64,
  float32,
  integer,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  boolean,
  string,
  enumeration,
  binary,
  clock
};
[[nodiscard]] std::string_view name_of(TypeKind kind);  // "Real"
[[nodiscard]] TypeKind type_kind(std::string_view element_name);

struct ClockType {
  std::string interval_variability{};
  std::optional<double> interval_decimal{};
  double shift_decimal = 0;
  bool supports_fraction = false;
  std::optional<std::uint64_t> resolution{};
  std::optional<std::uint64_t> interval_counter{};
  std::uint64_t shift_counter = 0;
  std::optional<std::uint64_t> priority{};
  bool operator==(const ClockType&) const = default;
};
inline constexpr std::string_view default_mime_type = "application/octet-stream";
struct DataType {
  TypeKind kind = TypeKind::none;
  std::string unit{};         // of real numbers
  std::string enumeration{};  // name of the enumeration
  std::string mime_type{default_mime_type};
  ClockType clock{};
  bool operator==(const DataType&) const = default;
};

struct Dimension {
  std::optional<std::uint64_t> size{};
  std::optional<std::string> size_connector{};
  bool operator==(const Dimension&) const = default;
};

struct Transformation {
  enum class Kind : std::uint8_t { none, linear, boolean, integer, enumeration };
  Kind kind = Kind::none;
  double factor = 1;
  double offset = 0;
  std::vector<std::pair<std::string, std::string>> entries{};
  Line line{};
  bool operator==(const Transformation&) const = default;
};

// --- parameter values (SSV) and mappings (SSM) -----------------------------------------------------------------------

struct Parameter : Base {
  std::string name{};
  TypeKind kind = TypeKind::real;
  std::vector<std::string> values{};  // elements in row-major order; a scalar has one
  std::string unit{};
  std::string enumeration{};
  std::string mime_type{default_mime_type};
  std::vector<Dimension> dimensions{};
  Annotations annotations{};
  bool operator==(const Parameter&) const = default;
};
struct ParameterSet : TopLevel {
  std::string name{};
  std::vector<Parameter> parameters{};
  std::vector<Enumeration> enumerations{};
  std::vector<Unit> units{};
  Provenance provenance{};
  Annotations annotations{};
  bool operator==(const ParameterSet&) const = default;
};

struct MappingEntry : Base {
  std::string source{};
  std::string target{};
  bool suppress_unit_conversion = false;
  Transformation transformation{};
  Annotations annotations{};
  bool operator==(const MappingEntry&) const = default;
};
struct ParameterMapping : TopLevel {
  std::vector<MappingEntry> entries{};
  Provenance provenance{};
  Annotations annotations{};
  bool operator==(const ParameterMapping&) const = default;
};

// --- signal dictionaries (SSB) ---------------------------------------------------------------------------------------

struct DictionaryEntry : Base {
  std::string name{};
  DataType type{};
  std::vector<Dimension> dimensions{};
  Annotations annotations{};
  bool operator==(const DictionaryEntry&) const = default;
};
struct SignalDictionary : TopLevel {
  std::vector<DictionaryEntry> entries{};
  std::vector<Enumeration> enumerations{};
  std::vector<Unit> units{};
  Provenance provenance{};
  Annotations annotations{};
  bool operator==(const SignalDictionary&) const = default;
};

// --- system structures (SSD) -----------------------------------------------------------------------------------------

struct ConnectorGeometry {
  double x = 0;
  double y = 0;
  std::optional<double> system_inner_x{};
  std::optional<double> system_inner_y{};
  bool operator==(const ConnectorGeometry&) const = default;
};
struct Connector : Base {
  std::string name{};
  std::string kind{};
  DataType type{};
  std::vector<Dimension> dimensions{};
  std::vector<std::string> clocks{};  // clocks of this connector
  std::vector<ConnectorGeometry> geometry{};
  Annotations annotations{};
  bool operator==(const Connector&) const = default;
};

struct ElementGeometry {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  double rotation = 0;
  std::string icon_source{};
  double icon_rotation = 0;
  bool icon_flip = false;
  bool icon_fixed_aspect_ratio = false;
  bool operator==(const ElementGeometry&) const = default;
};

inline constexpr std::string_view parameter_set_type = "application/x-ssp-parameter-set";
inline constexpr std::string_view parameter_mapping_type = "application/x-ssp-parameter-mapping";
inline constexpr std::string_view signal_dictionary_type = "application/x-ssp-signal-dictionary";
inline constexpr std::string_view fmu_type = "application/x-fmu-sharedlibrary";
// Our own: the source is "model:NAME", a native model that the importer knows by its name.
inline constexpr std::string_view model_type = "application/x-consort-model";
inline constexpr std::string_view table_type = "text/csv";
inline constexpr std::string_view ssd_type = "application/x-ssp-definition";
inline constexpr std::string_view ssp_type = "application/x-ssp-package";

struct BindingMapping : Base {
  std::string type{parameter_mapping_type};
  std::optional<std::string> source{};
  std::string source_base = "SSD";
  std::vector<ParameterMapping> inlined{};  // at most one
  std::string foreign{};                    // XML of another type
  Provenance provenance{};
  bool operator==(const BindingMapping&) const = default;
};
struct ParameterBinding : Base {
  std::string type{parameter_set_type};
  std::optional<std::string> source{};
  std::string source_base = "SSD";
  std::string prefix{};
  std::vector<ParameterSet> inlined{};  // at most one
  std::string foreign{};                // XML of another type
  std::vector<BindingMapping> mapping{};
  Provenance provenance{};
  Annotations annotations{};
  bool operator==(const ParameterBinding&) const = default;
};

struct Element : Base {
  std::string name{};
  std::vector<Connector> connectors{};
  std::vector<ElementGeometry> geometry{};
  std::vector<ParameterBinding> bindings{};
  Provenance provenance{};
  Annotations annotations{};
  bool operator==(const Element&) const = default;
};
struct Component : Element {
  std::string type{fmu_type};
  std::optional<std::string> source{};  // nullopt: not implemented yet
  std::string implementation = "any";
  bool operator==(const Component&) const = default;
};
struct SignalDictionaryReference : Element {
  std::string dictionary{};
  bool operator==(const SignalDictionaryReference&) const = default;
};

struct ConnectionGeometry {
  std::vector<double> points_x{};
  std::vector<double> points_y{};
  bool operator==(const ConnectionGeometry&) const = default;
};
struct Connection : Base {
  std::optional<std::string> start_element{};
  std::string start_connector{};
  std::vector<std::uint64_t> start_indices{};
  std::optional<std::string> end_element{};
  std::string end_connector{};
  std::vector<std::uint64_t> end_indices{};
  bool suppress_unit_conversion = false;
  Transformation transformation{};
  std::vector<ConnectionGeometry> geometry{};
  Annotations annotations{};
  bool operator==(const Connection&) const = default;
};

struct SystemDictionary : Base {
  std::string name{};
  std::string type{signal_dictionary_type};
  std::optional<std::string> source{};
  std::vector<SignalDictionary> inlined{};  // at most one
  std::string foreign{};
  Provenance provenance{};
  bool operator==(const SystemDictionary&) const = default;
};

struct SystemGeometry {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  bool operator==(const SystemGeometry&) const = default;
};
struct Note {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  std::string text{};
  bool operator==(const Note&) const = default;
};

struct System : Element {
  // The elements of a system are stored by kind; `order` holds the kinds in the order of the file.
  enum class Kind : std::uint8_t { component, reference, system };
  std::vector<Component> components{};
  std::vector<SignalDictionaryReference> references{};
  std::vector<System> systems{};
  std::vector<Kind> order{};

  std::vector<Connection> connections{};
  std::vector<SystemDictionary> dictionaries{};
  std::vector<SystemGeometry> system_geometry{};  // at most one
  std::vector<Note> notes{};
  bool operator==(const System&) const = default;
};

struct DefaultExperiment {
  std::optional<double> start_time{};
  std::optional<double> stop_time{};
  Annotations annotations{};
  Line line{};
  bool operator==(const DefaultExperiment&) const = default;
};

struct SystemStructure : TopLevel {
  std::string name{};
  System system{};
  std::vector<Enumeration> enumerations{};
  std::vector<Unit> units{};
  std::vector<DefaultExperiment> default_experiment{};  // at most one
  Provenance provenance{};
  Annotations annotations{};
  bool operator==(const SystemStructure&) const = default;
};

}  // namespace consort::ssp
