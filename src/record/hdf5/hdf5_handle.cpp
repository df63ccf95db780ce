#include "record/hdf5/hdf5_handle.hpp"

#include <cstddef>

namespace consort::record {

namespace {

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

Hdf5Id boolean_type() {
  Hdf5Id type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose, "make a type");
  for (std::int8_t value = 0; value < 2; ++value) {
    hdf5_check(H5Tenum_insert(type, value == 0 ? "FALSE" : "TRUE", &value), "make a type");
  }
  return type;
}

}  // namespace

Hdf5Session::Hdf5Session() : lock_(library_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &print_before_, &data_before_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Session::~Hdf5Session() { H5Eset_auto2(H5E_DEFAULT, print_before_, data_before_); }

std::uint64_t hdf5_address_of(hid_t object) {
#if H5_VERSION_GE(1, 12, 0)
  H5O_info1_t info;
#else
  H5O_info_t info;
#endif
  hdf5_check(H5Oget_info2(object, &info, H5O_INFO_BASIC), "find a dataset");
  return info.addr;
}

Hdf5Id hdf5_text_type() {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose, "make a type");
  hdf5_check(H5Tset_size(type, H5T_VARIABLE), "make a type");
  hdf5_check(H5Tset_cset(type, H5T_CSET_UTF8), "make a type");
  return type;
}

std::string hdf5_text_of(hid_t attribute) {
  const Hdf5Id type(H5Aget_type(attribute), H5Tclose, "read an attribute");
  const Hdf5Id space(H5Aget_space(attribute), H5Sclose, "read an attribute");
  if (H5Tis_variable_str(type) <= 0 || H5Sget_simple_extent_npoints(space) != 1) return {};
  const Hdf5Id text = hdf5_text_type();
  char* value = nullptr;
  hdf5_check(H5Aread(attribute, text, &value), "read an attribute");
  std::string copy = value == nullptr ? "" : value;
  H5free_memory(value);
  return copy;
}

Hdf5Id hdf5_type(Type type) {
  const auto native = [](hid_t id) { return Hdf5Id(H5Tcopy(id), H5Tclose, "make a type"); };
  switch (type) {
    case Type::Float32: return native(H5T_NATIVE_FLOAT);
    case Type::Float64: return native(H5T_NATIVE_DOUBLE);
    case Type::Int8: return native(H5T_NATIVE_INT8);
    case Type::UInt8: return native(H5T_NATIVE_UINT8);
    case Type::Int16: return native(H5T_NATIVE_INT16);
    case Type::UInt16: return native(H5T_NATIVE_UINT16);
    case Type::Int32: return native(H5T_NATIVE_INT32);
    case Type::UInt32: return native(H5T_NATIVE_UINT32);
    case Type::Int64: return native(H5T_NATIVE_INT64);
    case Type::UInt64: return native(H5T_NATIVE_UINT64);
    case Type::Boolean: return boolean_type();
    case Type::String:
    case Type::Binary: return hdf5_text_type();
    case Type::Enumeration: return native(H5T_NATIVE_INT64);
    case Type::Clock: break;
  }
  return native(H5T_NATIVE_UINT8);
}

Hdf5Id hdf5_variable_type() {
  using V = Hdf5Variable;
  const Hdf5Id text = hdf5_text_type();
  Hdf5Id type(H5Tcreate(H5T_COMPOUND, sizeof(V)), H5Tclose, "make a type");
  const auto add = [&](const char* name, std::size_t offset, hid_t member) {
    hdf5_check(H5Tinsert(type, name, offset, member), "make a type");
  };
  add("name", offsetof(V, name), text);
  add("dataset", offsetof(V, dataset), text);
  add("column", offsetof(V, column), H5T_NATIVE_INT64);
  add("type", offsetof(V, type), text);
  add("unit", offsetof(V, unit), text);
  add("description", offsetof(V, description), text);
  add("discrete", offsetof(V, discrete), H5T_NATIVE_UINT8);
  add("group", offsetof(V, group), text);
  return type;
}

}  // namespace consort::record
