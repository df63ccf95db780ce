#include "base/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort {

namespace {

constexpr std::array<std::string_view, type_count> type_names = {
    "Float32", "Float64", "Int8",    "UInt8",  "Int16",  "UInt16",      "Int32", "UInt32",
    "Int64",   "UInt64",  "Boolean", "String", "Binary", "Enumeration", "Clock"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// --- floating point

// For a decimal number outside the range of its type: true if it is too large, false if it is too small. `text` has no
// sign and is well-formed.
bool is_huge(std::string_view text) {
  const std::size_t exponent_at = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, exponent_at);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  // The power of ten of the first nonzero digit, within one. For a number out of range it is hundreds away from 0.
  auto power = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  if (exponent_at < text.size()) {
    std::string_view digits = text.substr(exponent_at + 1);
    const bool negative = !digits.empty() && digits.front() == '-';
    if (!digits.empty() && (digits.front() == '-' || digits.front() == '+')) digits.remove_prefix(1);
    std::int64_t exponent = 0;
    for (const char c : digits) exponent = std::min<std::int64_t>(exponent * 10 + (c - '0'), std::int64_t{1} << 50);
    power += negative ? -exponent : exponent;
  }
  return power > 0;
}

// A number beyond the range of T becomes infinity or zero, as in IEEE 754: tools that print the largest double with 15
// digits write such numbers.
template <class T>
bool read_float(std::string_view text, T& value) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.empty()) return false;
  if (!is_digit(text.front()) && text.front() != '.') {
    if (iequals(text, "inf")) {
      value = std::numeric_limits<T>::infinity();
    } else if (iequals(text, "nan")) {
      value = std::numeric_limits<T>::quiet_NaN();
    } else {
      return false;
    }
  } else {
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || status == std::errc::invalid_argument) return false;
    if (status == std::errc::result_out_of_range) value = is_huge(text) ? std::numeric_limits<T>::infinity() : T{0};
  }
  if (negative) value = -value;
  return true;
}

template <class T>
void write_float(std::string& to, T value) {
  if (!std::isfinite(value)) {
    to += std::isnan(value) ? "NaN" : value > 0 ? "INF" : "-INF";
    return;
  }
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  to.append(buffer.data(), end);
}

// --- integers

template <class T>
T read_integer(std::string_view original, std::string_view type) {
  std::string_view text = trim(original);
  if (text.size() > 1 && text.front() == '+' && is_digit(text[1])) text.remove_prefix(1);
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  // from_chars rejects a sign for unsigned types; "-1" must be reported as out of range, not as invalid.
  const bool is_negative = std::is_unsigned_v<T> && text.size() > 1 && text.front() == '-' &&
                           std::all_of(text.begin() + 1, text.end(), is_digit);
  const bool is_number = end == text.data() + text.size() && status != std::errc::invalid_argument;
  if (is_negative || (is_number && status == std::errc::result_out_of_range)) {
    throw input_error("{} does not fit into {}; give a number from {} to {}", quote(original), type,
                      std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  }
  if (!is_number) throw input_error("{} is not a value of type {}; give a whole number", quote(original), type);
  return value;
}

template <class T>
void write_integer(std::string& to, T value) {
  std::array<char, 24> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  to.append(buffer.data(), end);
}

// --- the others

bool read_boolean(std::string_view original, std::string_view type) {
  const std::string_view text = trim(original);
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  throw input_error("{} is not a value of type {}; give true, false, 1 or 0", quote(original), type);
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Binary read_binary(std::string_view original) {
  const std::string_view text = trim(original);
  if (text.size() % 2 != 0) {
    throw input_error("{} is not a value of type Binary: it has {} digits; give two hexadecimal digits per byte",
                      quote(original), text.size());
  }
  Binary bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = hex_digit(text[2 * i]);
    const int low = hex_digit(text[2 * i + 1]);
    if (high < 0 || low < 0) {
      throw input_error("{} is not a value of type Binary; give hexadecimal digits only", quote(original));
    }
    bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return bytes;
}

void write_binary(std::string& to, const Binary& bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  to.reserve(to.size() + 2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    to += digits[byte >> 4];
    to += digits[byte & 15];
  }
}

// --- lists

void require_count(std::string_view text, std::size_t found, std::size_t count, Type type) {
  require(count == 0 || found == count, "{} has {} {}, but {} of type {} are needed; give exactly that many",
          quote(text), found, found == 1 ? "element" : "elements", count, name_of(type));
}

template <class T>
Value parse_list(std::string_view text, std::size_t count) {
  constexpr Type type = type_of<T>;
  std::vector<T> elements;
  // Reserve by the length of the text, not by the declared count, which may be wrong.
  elements.reserve(std::min(count, text.size() / 2 + 1));
  for (std::size_t at = 0; at < text.size();) {
    if (is_white(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !is_white(text[end])) ++end;
    if (count != 0 && elements.size() == count) {
      throw input_error("{} has more elements than the {} of type {} that are needed; give exactly that many",
                        quote(text), count, name_of(type));
    }
    elements.push_back(parse_element<T>(text.substr(at, end - at)));
    at = end;
  }
  if constexpr (type == Type::Binary) {
    if (elements.empty() && count <= 1) elements.emplace_back();  // zero bytes are a valid value
  }
  require_count(text, elements.size(), count, type);
  return Value(std::move(elements));
}

}  // namespace

std::string_view name_of(Type type) { return type_names[static_cast<std::size_t>(type)]; }

template <class T>
T parse_element(std::string_view text) {
  constexpr Type type = type_of<T>;
  if constexpr (is_float(type)) {
    T value{};
    if (!read_float(trim(text), value)) {
      throw input_error("{} is not a value of type {}; give a number such as 1.5 or 2e-3", quote(text), name_of(type));
    }
    return value;
  } else if constexpr (is_integer(type)) {
    return read_integer<T>(text, name_of(type));
  } else if constexpr (type == Type::Enumeration) {
    return read_integer<std::int64_t>(text, name_of(type));
  } else if constexpr (type == Type::String) {
    return std::string(text);
  } else if constexpr (type == Type::Binary) {
    return read_binary(text);
  } else {
    return T(read_boolean(text, name_of(type)));
  }
}

template <class T>
void append_element(std::string& to, const T& element) {
  constexpr Type type = type_of<T>;
  if constexpr (is_float(type)) {
    write_float(to, element);
  } else if constexpr (is_integer(type)) {
    write_integer(to, element);
  } else if constexpr (type == Type::Enumeration) {
    write_integer(to, element.value);
  } else if constexpr (type == Type::String) {
    to += element;
  } else if constexpr (type == Type::Binary) {
    write_binary(to, element);
  } else {
    to += element ? "true" : "false";
  }
}

template float parse_element<float>(std::string_view);
template double parse_element<double>(std::string_view);
template std::int8_t parse_element<std::int8_t>(std::string_view);
template std::uint8_t parse_element<std::uint8_t>(std::string_view);
template std::int16_t parse_element<std::int16_t>(std::string_view);
template std::uint16_t parse_element<std::uint16_t>(std::string_view);
template std::int32_t parse_element<std::int32_t>(std::string_view);
template std::uint32_t parse_element<std::uint32_t>(std::string_view);
template std::int64_t parse_element<std::int64_t>(std::string_view);
template std::uint64_t parse_element<std::uint64_t>(std::string_view);
template Bool parse_element<Bool>(std::string_view);
template std::string parse_element<std::string>(std::string_view);
template Binary parse_element<Binary>(std::string_view);
template EnumValue parse_element<EnumValue>(std::string_view);
template Tick parse_element<Tick>(std::string_view);

template void append_element<float>(std::string&, const float&);
template void append_element<double>(std::string&, const double&);
template void append_element<std::int8_t>(std::string&, const std::int8_t&);
template void append_element<std::uint8_t>(std::string&, const std::uint8_t&);
template void append_element<std::int16_t>(std::string&, const std::int16_t&);
template void append_element<std::uint16_t>(std::string&, const std::uint16_t&);
template void append_element<std::int32_t>(std::string&, const std::int32_t&);
template void append_element<std::uint32_t>(std::string&, const std::uint32_t&);
template void append_element<std::int64_t>(std::string&, const std::int64_t&);
template void append_element<std::uint64_t>(std::string&, const std::uint64_t&);
template void append_element<Bool>(std::string&, const Bool&);
template void append_element<std::string>(std::string&, const std::string&);
template void append_element<Binary>(std::string&, const Binary&);
template void append_element<EnumValue>(std::string&, const EnumValue&);
template void append_element<Tick>(std::string&, const Tick&);

std::size_t Columns::size(Type type) const {
  return with_type(type, [&]<class T>() { return column<T>().size(); });
}

void Columns::clear() {
  for_each_type([&]<class T>() { column<T>().clear(); });
}

std::size_t Value::size() const {
  return with_type(type(), [&]<class T>() { return elements<T>().size(); });
}

Value Value::parse(Type type, std::string_view text, std::size_t count) {
  if (type == Type::String) {
    require_count(text, 1, count, type);
    return scalar(std::string(text));
  }
  return with_type(type, [&]<class T>() { return parse_list<T>(text, count); });
}

std::string Value::text() const {
  std::string all;
  with_type(type(), [&]<class T>() {
    bool first = true;
    for (const T& element : elements<T>()) {
      if (!first) all += ' ';
      first = false;
      append_element(all, element);
    }
  });
  return all;
}

bool operator==(const Value& a, const Value& b) { return a.elements_ == b.elements_; }

}  // namespace consort
