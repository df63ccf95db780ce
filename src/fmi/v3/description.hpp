// Reads a modelDescription.xml of FMI 3.0 into a Description.
#pragma once

#include "base/diagnostic.hpp"
#include "base/xml.hpp"
#include "describe/description.hpp"

namespace consort::fmi::v3 {

void read_description(const XmlDocument& document, describe::Description& description, Diagnostics& diagnostics);

}  // namespace consort::fmi::v3
