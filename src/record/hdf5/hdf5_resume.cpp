// Resumes an HDF5 result: renames the existing file and copies the rows to keep into a new one. Therefore a file with
// all of these rows exists at every moment, and a run that is killed while it copies loses nothing.
#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/error.hpp"
#include "record/hdf5/hdf5_sink.hpp"

namespace consort::record {

namespace {

Hdf5Id open_read_only(const std::filesystem::path& path) {
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "open the file");
  hdf5_check(H5Pset_file_locking(access, false, true), "open the file");
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "open the file"};
}

Hdf5Id open_dataset(hid_t file, const std::string& path) {
  return {H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose, "open a dataset"};
}

struct Extent {
  int rank = 0;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
};

Extent extent_of(hid_t dataset) {
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose, "open a dataset");
  hsize_t size[2] = {0, 1};
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 1 || rank > 2) throw Hdf5Failure{"open a dataset"};
  hdf5_check(H5Sget_simple_extent_dims(space, size, nullptr), "open a dataset");
  return {rank, size[0], size[1]};
}

// Returns the names in the table of variables, in order.
std::vector<std::string> names_in(hid_t file) {
  const Hdf5Id dataset = open_dataset(file, "/variables");
  const Hdf5Id memory = hdf5_variable_type();
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose, "list the variables");
  std::vector<Hdf5Variable> table(static_cast<std::size_t>(extent_of(dataset).rows));
  if (table.empty()) return {};
  hdf5_check(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.data()), "list the variables");
  std::vector<std::string> names;
  for (const auto& row : table) names.emplace_back(row.name == nullptr ? "" : row.name);
  H5Dvlen_reclaim(memory, space, H5P_DEFAULT, table.data());
  return names;
}

// Returns the fact that identifies the run.
std::string run_of(const Header& header) {
  for (const auto& fact : header.facts)
    if (fact.name == run_fact) return fact.value;
  return {};
}

std::string run_in(hid_t file) {
  if (H5Aexists(file, run_fact) <= 0) return {};
  const Hdf5Id attribute(H5Aopen(file, run_fact, H5P_DEFAULT), H5Aclose, "read a fact");
  return hdf5_text_of(attribute);
}

}  // namespace

bool Hdf5Sink::resume(const Header& header, std::uint64_t rows, const KnownRow*) {
  auto aside = path_;
  aside += ".before-restart";
  std::error_code error;
  // An existing file was left by an interrupted restart: it is complete, the other one may not be.
  if (!std::filesystem::is_regular_file(aside, error)) {
    if (!std::filesystem::is_regular_file(path_, error)) return false;
    require_continuable(path_, header, rows);
    std::filesystem::rename(path_, aside, error);
    if (error)
      throw input_error("cannot write the result to '{}': {}; choose another place with --output-file", path_.string(),
                        error.message());
  } else {
    require_continuable(aside, header, rows);
  }
  begin(header);
  take_over(aside, rows);
  flush();
  std::filesystem::remove(aside, error);
  return true;
}

void Hdf5Sink::require_continuable(const std::filesystem::path& file, const Header& header, std::uint64_t rows) {
  const auto refuse = [&](const std::string& why) {
    return input_error("the result '{}' cannot be resumed from the checkpoint: it {}; give another --output-file",
                       file.string(), why);
  };
  const Hdf5Session session;
  try {
    const Hdf5Id in = open_read_only(file);
    const auto names = names_in(in);
    const bool same = std::equal(names.begin(), names.end(), header.signals.begin(), header.signals.end(),
                                 [](const std::string& name, const Signal& signal) { return name == signal.name; });
    if (!same) throw refuse("has other variables");
    if (const auto run = run_of(header); !run.empty() && run != run_in(in))
      throw refuse("was written by another run, with other settings or without checkpoints");
    lay_out(header);
    for (const Block& block : blocks_) {
      const Hdf5Id dataset = open_dataset(in, block.path);
      const auto extent = extent_of(dataset);
      if (extent.columns != block.columns || extent.rank != (&block == blocks_.data() ? 1 : 2))
        throw refuse("has other variables");
      if (extent.rows < rows)
        throw refuse(fmt::format("has {} rows, but {} were recorded before the checkpoint", extent.rows, rows));
      const Hdf5Id stored(H5Dget_type(dataset), H5Tclose, "open a dataset");
      const Hdf5Id own = hdf5_type(block.type);
      if (H5Tget_class(stored) != H5Tget_class(own)) throw refuse("has variables of other types");
    }
    blocks_.clear();
    copies_.clear();
    text_blocks_.clear();
  } catch (const Hdf5Failure& failure) {
    throw refuse(fmt::format("is not a readable result of Consort (HDF5 failed to {})", failure.what));
  }
}

// Copies chunk by chunk, with the chunk size of the new file.
void Hdf5Sink::copy_from(const std::filesystem::path& file, std::uint64_t rows) {
  const Hdf5Id in = open_read_only(file);
  for (Block& block : blocks_) {
    const Hdf5Id from = open_dataset(in, block.path);
    const int rank = &block == blocks_.data() ? 1 : 2;
    const hsize_t whole[2] = {rows, block.columns};
    if (appender_ == nullptr) hdf5_check(H5Dset_extent(block.dataset, whole), "extend a dataset");
    const Hdf5Id source(H5Dget_space(from), H5Sclose, "copy rows");
    const Hdf5Id target(H5Screate_simple(rank, whole, nullptr), H5Sclose, "copy rows");
    const bool texts = block.bytes.empty();
    std::vector<char*> pointers(texts ? block.chunk_rows * block.columns : 0);
    for (std::uint64_t done = 0; done < rows; done += block.chunk_rows) {
      const hsize_t begin[2] = {done, 0};
      const hsize_t count[2] = {std::min<std::uint64_t>(block.chunk_rows, rows - done), block.columns};
      const Hdf5Id memory(H5Screate_simple(rank, count, nullptr), H5Sclose, "copy rows");
      hdf5_check(H5Sselect_hyperslab(source, H5S_SELECT_SET, begin, nullptr, count, nullptr), "copy rows");
      hdf5_check(H5Sselect_hyperslab(target, H5S_SELECT_SET, begin, nullptr, count, nullptr), "copy rows");
      void* const data = texts ? static_cast<void*>(pointers.data()) : block.bytes.data();
      hdf5_check(H5Dread(from, block.memory_type, memory, source, H5P_DEFAULT, data), "copy rows");
      if (appender_ != nullptr) {
        appender_->write(static_cast<std::size_t>(&block - blocks_.data()), done,
                         std::span(block.bytes).first(static_cast<std::size_t>(count[0]) * block.row_bytes));
      } else {
        hdf5_check(H5Dwrite(block.dataset, block.memory_type, memory, target, H5P_DEFAULT, data), "copy rows");
      }
      if (texts) H5Dvlen_reclaim(block.memory_type, memory, H5P_DEFAULT, data);
    }
    block.stored = rows;
    block.chunk_begin = rows - rows % block.chunk_rows;
  }
  go_to_row(rows);
}

// Continues after existing rows: the next row may be in the middle of a chunk.
void Hdf5Sink::go_to_row(std::uint64_t row) {
  rows_ = row;
  for (Block& block : blocks_) {
    place_copies(block);
    if (&block == blocks_.data() || block.bytes.empty()) continue;
    for (std::size_t i = 0; i < block.runs.size(); ++i)
      copies_[block.first_copy + i].to += (row - block.chunk_begin) * block.row_bytes;
  }
  time_to_ = blocks_[0].bytes.data() + (row - blocks_[0].chunk_begin) * sizeof(Time);
  store_complete();
}

}  // namespace consort::record
