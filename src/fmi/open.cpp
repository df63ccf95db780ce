// The only file that depends on all FMI versions.
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "describe/check.hpp"
#include "fmi/binaries.hpp"
#include "fmi/companions.hpp"
#include "fmi/compile.hpp"
#include "fmi/foreign/library.hpp"
#include "fmi/package.hpp"
#include "fmi/v1/description.hpp"
#include "fmi/v1/instances.hpp"
#include "fmi/v2/description.hpp"
#include "fmi/v2/instances.hpp"
#include "fmi/v3/description.hpp"
#include "fmi/v3/instances.hpp"

namespace consort::fmi {

namespace fs = std::filesystem;
using describe::FmiVersion;
using describe::InterfaceType;

// --- description -----------------------------------------------------------------------------------------------------

namespace {

FmiVersion version_of(const XmlDocument& document) {
  const auto root = document.root();
  const std::string_view name = root.name();
  require(name == "fmiModelDescription",
          "{}:{}: the root element is <{}>, but a model description has <fmiModelDescription>; this is not an FMU",
          document.shown(), document.line(root), name);
  const std::string_view version = root.attribute("fmiVersion").value();
  if (version.starts_with("1.")) return FmiVersion::v1;
  if (version.starts_with("2.")) return FmiVersion::v2;
  if (version.starts_with("3.")) return FmiVersion::v3;
  throw input_error("{}:{}: fmiVersion=\"{}\" is not known; use FMI 1.0, 2.0 or 3.0", document.shown(),
                    document.line(root), version);
}

}  // namespace

describe::Description read_description(const XmlDocument& document, Diagnostics& diagnostics) {
  describe::Description description;
  description.version = version_of(document);
  description.fmi_version = document.root().attribute("fmiVersion").value();
  if (document.has_doctype()) {
    diagnostics.add({Severity::warning, document.shown(), 0, "schema",
                     "the document type declaration is not followed; its entities are not replaced"});
  }
  switch (description.version) {
    case FmiVersion::v1: v1::read_description(document, description, diagnostics); break;
    case FmiVersion::v2: v2::read_description(document, description, diagnostics); break;
    case FmiVersion::v3: v3::read_description(document, description, diagnostics); break;
    case FmiVersion::native: CONSORT_ASSERT(false);
  }
  return description;
}

// --- opening ---------------------------------------------------------------------------------------------------------

namespace {

// Calls `read` with the document. An unreadable document is reported, and the FMU is used without it.
template <class F>
void read_companion(Fmu::Package& package, const char* name, F&& read) {
  const fs::path file = package.folder / name;
  if (!fs::exists(file)) return;
  try {
    read(XmlDocument::load(file, name, package.options.xml));
  } catch (const Error& error) {
    package.diagnostics.add({Severity::error, name, 0, "schema", error.what()});
  }
}

void read_companions(Fmu::Package& package) {
  auto& d = package.description;
  read_companion(package, "terminalsAndIcons/terminalsAndIcons.xml",
                 [&](const XmlDocument& document) { read_terminals(document, d, package.diagnostics); });
  read_companion(package, "sources/buildDescription.xml", [&](const XmlDocument& document) {
    if (d.version == FmiVersion::v2) d.build_configurations.clear();
    read_build_description(document, d, package.diagnostics);
  });
}

void refuse_if_strict(const Fmu::Package& package) {
  Diagnostics all = package.diagnostics;
  describe::check(package.description, all);
  const std::size_t broken = all.count(Severity::warning) + all.count(Severity::error);
  if (broken == 0) return;
  all.sort();
  throw input_error(
      "{}: breaks {} rule{} of the standard, the first: {}; 'consort check' lists them all, and without --strict the "
      "FMU is used anyway",
      package.shown(), broken, broken == 1 ? "" : "s", all.all().front().text());
}

}  // namespace

Fmu Fmu::open(const fs::path& path, const OpenOptions& options) {
  auto package = std::make_shared<Package>();
  package->path = path;
  package->options = options;
  std::error_code problem;
  const auto kind = fs::status(path, problem).type();
  require(kind != fs::file_type::not_found && !problem, "{}: there is no such file; check the name", path.string());
  if (kind == fs::file_type::directory) {
    package->folder = fs::canonical(path);
  } else {
    package->unpacked.emplace("fmu");
    package->folder = package->unpacked->path();
    unpack(path, package->folder, options.archive);
  }
  const fs::path xml = package->folder / "modelDescription.xml";
  require(fs::exists(xml), "{}: has no modelDescription.xml, so it is not an FMU; check that this is the right file",
          path.string());
  try {
    const XmlDocument document = XmlDocument::load(xml, "modelDescription.xml", options.xml);
    package->description = read_description(document, package->diagnostics);
    read_companions(*package);
  } catch (const Error& error) {
    throw error.with_text(fmt::format("{}: {}", path.string(), error.what()));
  }
  if (options.strict) refuse_if_strict(*package);
  return Fmu(std::move(package));
}

const describe::Description& Fmu::description() const { return package_->description; }
const Diagnostics& Fmu::diagnostics() const { return package_->diagnostics; }
const fs::path& Fmu::path() const { return package_->path; }
const fs::path& Fmu::folder() const { return package_->folder; }

// --- instances -------------------------------------------------------------------------------------------------------

namespace {

std::string interface_names(const describe::Description& description) {
  std::vector<std::string_view> names;
  for (const auto& i : description.interfaces) names.push_back(describe::name_of(i.type));
  return names.empty() ? "no interface" : fmt::format("{} only", fmt::join(names, " and "));
}

// What to do instead of using an interface that the FMU does not have.
std::string way_out(const describe::Description& description) {
  using describe::InterfaceType;
  const bool cs = description.interface(InterfaceType::co_simulation) != nullptr;
  const bool me = description.interface(InterfaceType::model_exchange) != nullptr;
  if (cs && me) return "choose one of these with --interface-type";
  if (cs || me) return fmt::format("use --interface-type {}", cs ? "cs" : "me");
  return "export it again for Co-Simulation or Model Exchange";
}

// Instances share a library in this process; a library in another program belongs to one instance.
std::shared_ptr<Library> open_library(Fmu::Package& package, const describe::Interface& interface,
                                      const InstanceOptions& instance) {
  auto& shared = package.libraries.at(static_cast<std::size_t>(interface.type));
  const auto& d = package.description;
  const auto wanted = instance.platform ? instance.platform : package.options.platform;
  const bool may_be_native = wanted.value_or(Platform::linux64) == Platform::linux64;
  if (auto library = may_be_native ? shared.lock() : nullptr) return library;
  if (package.options.compile && may_be_native) compile_if_needed(package.folder, package.shown(), d, interface);
  const BinaryFile binary =
      find_binary({package.folder, package.shown(), interface.model_identifier, d.version, wanted});
  const LibraryOptions options{package.shown(), interface.model_identifier, d.version, package.options.call_limit};
  if (binary.platform != Platform::linux64) return foreign::open_library(binary, options);
  auto library = load_library(binary.file, options);
  shared = library;
  return library;
}

Foundation lay_foundation(const std::shared_ptr<Fmu::Package>& package, InterfaceType type, InstanceOptions options) {
  const auto& description = package->description;
  const auto* interface = description.interface(type);
  require(interface != nullptr, "{}: offers {}, not {}; {}", package->shown(), interface_names(description),
          describe::name_of(type), way_out(description));
  auto library = open_library(*package, *interface, options);
  return {package, std::move(library), *interface, std::move(options)};
}

}  // namespace

std::unique_ptr<CoSimulation> Fmu::co_simulation(InstanceOptions options) const {
  auto foundation = lay_foundation(package_, InterfaceType::co_simulation, std::move(options));
  switch (description().version) {
    case FmiVersion::v1: return v1::make_co_simulation(std::move(foundation));
    case FmiVersion::v2: return v2::make_co_simulation(std::move(foundation));
    default: return v3::make_co_simulation(std::move(foundation));
  }
}

std::unique_ptr<ModelExchange> Fmu::model_exchange(InstanceOptions options) const {
  auto foundation = lay_foundation(package_, InterfaceType::model_exchange, std::move(options));
  switch (description().version) {
    case FmiVersion::v1: return v1::make_model_exchange(std::move(foundation));
    case FmiVersion::v2: return v2::make_model_exchange(std::move(foundation));
    default: return v3::make_model_exchange(std::move(foundation));
  }
}

std::unique_ptr<ScheduledExecution> Fmu::scheduled_execution(InstanceOptions options) const {
  return v3::make_scheduled_execution(lay_foundation(package_, InterfaceType::scheduled_execution, std::move(options)));
}

// --- shared by the instances -----------------------------------------------------------------------------------------

namespace {

std::mutex& only_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::map<std::string, std::string>& only_instances() {
  static std::map<std::string, std::string> names;
  return names;
}

}  // namespace

OnlyInstance::OnlyInstance(const Foundation& f) {
  if (!f.interface.only_once_per_process || f.library->has_own_process()) return;
  const auto& description = f.description();
  const auto& interface = f.interface;
  const std::string& name = f.options.name;
  const std::string key = interface.model_identifier + ' ' + description.instantiation_token;
  const std::scoped_lock lock(only_mutex());
  const auto [place, free] = only_instances().emplace(key, name);
  require_in_unit(
      name, free,
      "unit '{}': '{}' can be instantiated only once per process, and '{}' is an instance of it already; run the "
      "second one in a process of its own",
      name, description.model_name, place->second);
  key_ = key;
}

OnlyInstance::~OnlyInstance() {
  if (key_.empty()) return;
  const std::scoped_lock lock(only_mutex());
  only_instances().erase(key_);
}

std::string file_uri(const fs::path& path) {
  static constexpr std::string_view unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string uri = "file://";
  for (const char c : path.string()) {
    if (unreserved.find(c) != std::string_view::npos)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

std::vector<std::string> Foundation::tokens() const {
  const std::string& token = description().instantiation_token;
  const bool braces = token.size() >= 2 && token.front() == '{' && token.back() == '}';
  return {token, braces ? token.substr(1, token.size() - 2) : fmt::format("{{{}}}", token)};
}

std::string Foundation::resource_uri() const { return file_uri(package->folder / "resources"); }
std::string Foundation::location_uri() const { return file_uri(package->folder); }
std::string Foundation::resource_path() const {
  const fs::path resources = package->folder / "resources";
  return fs::is_directory(resources) ? (resources / "").string() : std::string();
}

std::string missing_capability(const Caller& caller, std::string_view capability) {
  return fmt::format("{} has no {}: {}; choose a method that does not need it", caller.who(), capability,
                     caller.description().version == FmiVersion::v1
                         ? "FMI 1.0 does not have it"
                         : "the FMU does not declare it, or its binary lacks the functions");
}

}  // namespace consort::fmi
