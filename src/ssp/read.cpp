#include "ssp/read.hpp"

#include "base/error.hpp"
#include "ssp/xml_in.hpp"

namespace consort::ssp {

namespace {

// Nesting depth: enough for real systems, and small enough for the call stack.
constexpr XmlLimits limits{std::size_t{1} << 30, 200};

template <class T>
constexpr std::string_view root_of = "";
template <>
constexpr std::string_view root_of<SystemStructure> = "SystemStructureDescription";
template <>
constexpr std::string_view root_of<ParameterSet> = "ParameterSet";
template <>
constexpr std::string_view root_of<ParameterMapping> = "ParameterMapping";
template <>
constexpr std::string_view root_of<SignalDictionary> = "SignalDictionary";

template <class T>
T from_xml(const XmlDocument& document, Diagnostics& diagnostics) {
  const auto root = document.root();
  require(local_name(root.name()) == root_of<T>, "{}:{}: the root element is <{}>, not <{}>; check the file name",
          document.shown(), document.line(root), root.name(), root_of<T>);
  T x;
  XmlIn(document, root, diagnostics).read(x);
  return x;
}

}  // namespace

template <class T>
T read(const std::filesystem::path& file, std::string shown, Diagnostics& diagnostics) {
  return from_xml<T>(XmlDocument::load(file, std::move(shown), limits), diagnostics);
}

template <class T>
T parse(std::string text, std::string shown, Diagnostics& diagnostics) {
  return from_xml<T>(XmlDocument::parse(std::move(text), std::move(shown), limits), diagnostics);
}

template SystemStructure read(const std::filesystem::path&, std::string, Diagnostics&);
template ParameterSet read(const std::filesystem::path&, std::string, Diagnostics&);
template ParameterMapping read(const std::filesystem::path&, std::string, Diagnostics&);
template SignalDictionary read(const std::filesystem::path&, std::string, Diagnostics&);
template SystemStructure parse(std::string, std::string, Diagnostics&);
template ParameterSet parse(std::string, std::string, Diagnostics&);
template ParameterMapping parse(std::string, std::string, Diagnostics&);
template SignalDictionary parse(std::string, std::string, Diagnostics&);

}  // namespace consort::ssp
