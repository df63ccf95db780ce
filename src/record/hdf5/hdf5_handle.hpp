// Shared by the HDF5 sink and reader: owned identifiers, suppressed error output, access by one thread at a time.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include <hdf5.h>

#include "base/value.hpp"

namespace consort::record {

// Internal exception. The public functions of sink and reader convert it to an Error that names the file.
struct Hdf5Failure {
  const char* what;
};

inline hid_t hdf5_check(hid_t id, const char* what) {
  if (id < 0) throw Hdf5Failure{what};
  return id;
}

// Owns an HDF5 identifier of any kind and closes it.
class Hdf5Id {
 public:
  Hdf5Id() = default;
  // Throws Hdf5Failure if `id` is invalid.
  Hdf5Id(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(hdf5_check(id, what)), close_(close) {}
  ~Hdf5Id() { reset(); }
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, -1);
      close_ = other.close_;
    }
    return *this;
  }
  Hdf5Id(const Hdf5Id&) = delete;
  Hdf5Id& operator=(const Hdf5Id&) = delete;

  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): replaces hid_t everywhere
  [[nodiscard]] bool valid() const { return id_ >= 0; }
  void reset() {
    if (id_ >= 0) close_(std::exchange(id_, -1));
  }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

// Must exist during every use of the library: locks it, because HDF5 may have been built without thread safety, and
// suppresses its error output.
class Hdf5Session {
 public:
  Hdf5Session();
  ~Hdf5Session();
  Hdf5Session(const Hdf5Session&) = delete;
  Hdf5Session& operator=(const Hdf5Session&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
  H5E_auto2_t print_before_ = nullptr;
  void* data_before_ = nullptr;
};

// Returns the address of the object header of a dataset or group in its file.
[[nodiscard]] std::uint64_t hdf5_address_of(hid_t object);

// --- how types are stored

// Texts and Binary (as hexadecimal digits) have a variable length.
[[nodiscard]] Hdf5Id hdf5_text_type();
// Returns the value of a text attribute; empty for other attributes.
[[nodiscard]] std::string hdf5_text_of(hid_t attribute);
// Numbers keep their type. Boolean is an enumeration of FALSE and TRUE (which numpy reads as bool), Clock is 0 and 1,
// Enumeration is a 64-bit integer.
[[nodiscard]] Hdf5Id hdf5_type(Type type);

// A row of the table /variables: the location of a signal.
struct Hdf5Variable {
  const char* name;
  const char* dataset;
  std::int64_t column;
  const char* type;
  const char* unit;
  const char* description;
  std::uint8_t discrete;
  const char* group;
};
[[nodiscard]] Hdf5Id hdf5_variable_type();

inline constexpr const char* hdf5_format_name = "consort result";
inline constexpr std::int64_t hdf5_format_version = 1;

}  // namespace consort::record
