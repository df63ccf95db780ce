// terminalsAndIcons/terminalsAndIcons.xml and sources/buildDescription.xml: the files beside the model description.
// They came with FMI 3.0 and are used with FMI 2.0 as well.
#pragma once

#include <filesystem>

#include "base/diagnostic.hpp"
#include "base/xml.hpp"
#include "describe/description.hpp"

namespace consort::fmi {

void read_terminals(const XmlDocument& document, describe::Description& description, Diagnostics& diagnostics);
void read_build_description(const XmlDocument& document, describe::Description& description, Diagnostics& diagnostics);

}  // namespace consort::fmi
