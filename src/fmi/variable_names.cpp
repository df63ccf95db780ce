#include "fmi/variable_names.hpp"

#include <charconv>
#include <cstring>
#include <system_error>

namespace consort::fmi {

std::string expand_variable_names(const std::string& message, const describe::Description& description) {
  std::string out;
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (message[i] != '#') {
      out += message[i];
      continue;
    }
    const std::size_t close = message.find('#', i + 1);
    if (close == std::string::npos) return out.append(message, i);
    if (close == i + 1) {
      out += '#';
      i = close;
      continue;
    }
    // FMI 3.0 has one number space and no type letter.
    const bool third = description.version == describe::FmiVersion::v3;
    const char kind = third ? 'r' : message[i + 1];
    ValueReference reference = 0;
    const char* const first = message.data() + i + (third ? 1 : 2);
    const auto [stop, problem] = std::from_chars(first, message.data() + close, reference);
    const bool read = problem == std::errc() && stop == message.data() + close;
    const Type type = kind == 'i' || kind == 'e' ? Type::Int32
                      : kind == 'b'              ? Type::Boolean
                      : kind == 's'              ? Type::String
                                                 : Type::Float64;
    const auto id =
        read && std::strchr("ribse", kind) != nullptr ? description.find(reference, type) : describe::no_variable;
    if (id == describe::no_variable) {
      out.append(message, i, close - i);  // the closing '#' may open the next one
      i = close - 1;
    } else {
      out += description[id].name;
      i = close;
    }
  }
  return out;
}

}  // namespace consort::fmi
