// Reads terminalsAndIcons/terminalsAndIcons.xml and sources/buildDescription.xml beside the model description. FMI 3.0
// introduced these files; FMUs of FMI 2.0 use them as well.
#pragma once

#include <filesystem>

#include "base/diagnostic.hpp"
#include "base/xml.hpp"
#include "describe/description.hpp"

namespace consort::fmi {

void read_terminals(const XmlDocument& document, describe::Description& description, Diagnostics& diagnostics);
void read_build_description(const XmlDocument& document, describe::Description& description, Diagnostics& diagnostics);

}  // namespace consort::fmi
