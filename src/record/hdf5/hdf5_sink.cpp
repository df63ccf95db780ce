#include "record/hdf5/hdf5_sink.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <malloc.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "record/hdf5/hdf5_table.hpp"

namespace consort::record {

namespace {

constexpr std::size_t largest_chunk = std::size_t{64} << 10;
constexpr std::size_t smallest_chunk = std::size_t{4} << 10;
constexpr std::size_t most_in_memory = std::size_t{4} << 20;
constexpr std::size_t most_text_in_memory = std::size_t{4} << 20;
// Limits the data lost when the disk becomes full: fast runs can fill it in less time than between two commits.
constexpr std::size_t most_uncommitted = std::size_t{4} << 20;
constexpr int flushes_without_incomplete = 10;
// HDF5 needs about 14 KiB per open dataset, and more for the nodes of its chunk index. If there are many datasets,
// nodes are small and only a few stay in memory.
constexpr std::size_t many_datasets = 256;
constexpr unsigned small_nodes = 8;  // half of the number of children
constexpr std::size_t usual_cache = std::size_t{4} << 20;
constexpr std::size_t small_cache = std::size_t{1536} << 10;
// Attributes in old object headers are limited to 64 KiB; /variables contains all signals.
constexpr std::size_t most_in_attribute = 4000;

bool is_text(Type type) { return type == Type::String || type == Type::Binary; }

std::size_t element_size(Type type) {
  return with_type(type, []<class T>() -> std::size_t {
    return std::is_same_v<T, std::string> || std::is_same_v<T, Binary> ? 64 : sizeof(T);  // texts: an estimate
  });
}

// Encodes a name as one component of a path: a slash is a separator, and a single dot means the group itself.
std::string link_name(std::string_view name) {
  if (name == ".") return "%2E";
  std::string link;
  for (const char c : name) {
    if (c == '/') {
      link += "%2F";
    } else if (c == '%') {
      link += "%25";
    } else {
      link.push_back(c);
    }
  }
  return link;
}

std::string dataset_path(const std::string& group, Type type) {
  const std::string name(name_of(type));
  return group.empty() ? "/" + name : "/units/" + link_name(group) + "/" + name;
}

// Most units have only a few signals, for which a call of memcpy is too expensive. Copies of compile-time size need a
// few instructions.
struct Rows {
  std::byte* to;
  std::size_t to_stride;
  const std::byte* from;
  std::size_t from_stride;
  std::size_t count;
  std::size_t size;  // bytes of each
};

template <std::size_t Words>
void copy_rows_of(const Rows& r) {
  const std::size_t size = Words == 0 ? r.size : Words * sizeof(std::uint64_t);
  std::byte* to = r.to;
  const std::byte* from = r.from;
  for (std::size_t i = 0; i < r.count; ++i, to += r.to_stride, from += r.from_stride) std::memcpy(to, from, size);
}

template <std::size_t... Words>
constexpr auto copiers(std::index_sequence<Words...>) {
  return std::array{&copy_rows_of<Words>...};
}

void copy_rows(const Rows& rows) {
  static constexpr auto by_words = copiers(std::make_index_sequence<17>());
  const std::size_t words = rows.size / sizeof(std::uint64_t);
  const bool known = rows.size % sizeof(std::uint64_t) == 0 && words < by_words.size();
  by_words[known ? words : 0](rows);
}

// --- attributes

void write_attribute(hid_t object, const char* name, hid_t type, std::size_t count, const void* data) {
  const hsize_t size = count;
  const Hdf5Id space(count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr), H5Sclose, "describe");
  const Hdf5Id attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, "describe");
  hdf5_check(H5Awrite(attribute, type, data), "describe");
}

void write_text(hid_t object, const char* name, const std::string& text) {
  const char* const data = text.c_str();
  write_attribute(object, name, hdf5_text_type(), 0, &data);
}

void write_texts(hid_t object, const char* name, const std::vector<const char*>& texts) {
  if (std::all_of(texts.begin(), texts.end(), [](const char* text) { return *text == '\0'; })) return;
  write_attribute(object, name, hdf5_text_type(), texts.size(), texts.data());
}

}  // namespace

// --- the sink

Hdf5Sink::Hdf5Sink(std::filesystem::path path, const SinkOptions& options)
    : path_(std::move(path)), options_(options) {}

Hdf5Sink::~Hdf5Sink() {
  try {
    end();
  } catch (const Error&) {  // end() reports failures
    close();
  }
}

template <class Work>
void Hdf5Sink::guarded(Work&& work) {
  const Hdf5Session session;
  try {
    work();
    check_disk();
  } catch (const Hdf5Failure& failure) {
    failed_ = true;
    check_disk();
    throw run_error("cannot write to '{}': HDF5 failed to {}; choose another place or format with --output-file",
                    path_.string(), failure.what);
  }
}

void Hdf5Sink::check_disk() {
  if (status_.error == 0) return;
  failed_ = true;
  throw run_error(
      "cannot write to '{}': {}; the rows flushed before are intact; make room or choose another place with "
      "--output-file, then repeat the run",
      path_.string(), std::generic_category().message(status_.error));
}

void Hdf5Sink::begin(const Header& header) {
  CONSORT_ASSERT(!is_open());
  require(options_.compression >= 0 && options_.compression <= 9,
          "the compression of '{}' is {}; choose a level from 0 (none) to 9", path_.string(), options_.compression);
  std::unordered_set<std::string_view> names;
  for (const Signal& signal : header.signals) {
    require(names.insert(signal.name).second, "'{}' cannot hold two signals of the name '{}'; record it once",
            path_.string(), signal.name);
  }
  lay_out(header);
  open(H5F_ACC_TRUNC);
  guarded([&] {
    write_facts(header);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      create(blocks_[i], i == 0 ? 1 : 2);
      if (i > 0) describe(blocks_[i], header);
      if (i == 0) write_text(blocks_[0].dataset, "unit", "s");
      blocks_[i].header = hdf5_address_of(blocks_[i].dataset);
      blocks_[i].dataset.reset();
    }
    write_variables(header);
    reopen();
  });
  clock_.restart();
}

void Hdf5Sink::take_over(const std::filesystem::path& file, std::uint64_t rows) {
  guarded([&] { copy_from(file, rows); });
}

void Hdf5Sink::require_whole() const {
  CONSORT_ASSERT(is_open() || failed_);
  if (!failed_) return;
  throw run_error("no more rows can be written to '{}' because an earlier write failed; repeat the run",
                  path_.string());
}

void Hdf5Sink::write(Time t, const Columns& row) {
  require_whole();
  std::array<const std::byte*, type_count> from;
  for (std::size_t i = 0; i < type_count; ++i) {
    with_type(static_cast<Type>(i), [&]<class T>() {
      CONSORT_ASSERT(row.column<T>().size() >= widths_[i]);
      from[i] = reinterpret_cast<const std::byte*>(row.column<T>().data());
    });
  }
  std::memcpy(time_to_, &t, sizeof t);
  time_to_ += sizeof t;
  for (Copy& copy : copies_) {
    copy_rows({copy.to, 0, from[copy.type] + copy.from, 0, 1, copy.size});
    copy.to += copy.row_bytes;
  }
  for (const std::size_t i : text_blocks_) append_texts(blocks_[i], row);
  if (++rows_ == complete_at_) guarded([&] { store_complete(); });
  flush_when_due(1);
}

bool Hdf5Sink::write_batch(const RowBatch& batch) {
  require_whole();
  CONSORT_ASSERT(text_blocks_.empty());
  for (std::size_t done = 0; done < batch.count;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(batch.count - done, complete_at_ - rows_));
    const std::byte* const rows = batch.first + done * batch.stride;
    copy_rows({time_to_, sizeof(Time), rows, batch.stride, count, sizeof(Time)});
    time_to_ += count * sizeof(Time);
    for (Copy& copy : copies_) {
      const std::byte* const from = rows + batch.offsets[copy.type] + copy.from;
      copy_rows({copy.to, copy.row_bytes, from, batch.stride, count, copy.size});
      copy.to += count * copy.row_bytes;
    }
    rows_ += count;
    done += count;
    if (rows_ == complete_at_) guarded([&] { store_complete(); });
    if (since_commit_ > most_uncommitted) flush();
  }
  flush_when_due(batch.count);
  return true;
}

void Hdf5Sink::flush_when_due(std::size_t rows) {
  if (text_bytes_ > most_text_in_memory || since_commit_ > most_uncommitted) {
    flush();
  } else if (clock_.due(rows)) {
    const bool whole = options_.compression == 0 || ++skipped_ >= flushes_without_incomplete;
    guarded([&] { commit(whole); });
  }
}

void Hdf5Sink::flush() {
  if (failed_ || !is_open()) return;
  guarded([&] { commit(true); });
}

void Hdf5Sink::add_table(const Table& table) {
  if (!failed_ && is_open()) tables_.push_back(table);
}

void Hdf5Sink::end() {
  flush();
  if (!tables_.empty() && !failed_) guarded([&] { write_tables(); });
  close();
}

// Uses the library, which reopens the file if rows were written without it.
void Hdf5Sink::write_tables() {
  appender_.reset();
  if (!file_.valid()) open(H5F_ACC_RDWR);
  for (const Table& table : tables_) hdf5_write_table(file_, table);
  hdf5_check(H5Fflush(file_, H5F_SCOPE_LOCAL), "flush");
}

// --- the layout

void Hdf5Sink::open(unsigned how) {
  const Hdf5Session session;
  try {
    const Hdf5Id creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "set up the file");
    hdf5_check(H5Pset_obj_track_times(creation, 0), "set up the file");
    const bool many = blocks_.size() > many_datasets;
    if (many) hdf5_check(H5Pset_istore_k(creation, small_nodes), "set up the file");
    const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "set up the file");
    // Disable the chunk cache: it would only copy complete chunks, which are already buffered here.
    hdf5_check(H5Pset_cache(access, 0, 1, 0, 0), "set up the file");
    hdf5_check(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST), "set up the file");
    hdf5_check(H5Pset_file_locking(access, false, true), "set up the file");
    use_commit_driver(access, status_, many ? small_cache : usual_cache);
    file_ = Hdf5Id(
        how == H5F_ACC_TRUNC ? H5Fcreate(path_.c_str(), how, creation, access) : H5Fopen(path_.c_str(), how, access),
        H5Fclose, "create the file");
  } catch (const Hdf5Failure& failure) {
    const std::string why = status_.error != 0 ? std::generic_category().message(status_.error)
                                               : "HDF5 failed to " + std::string(failure.what);
    throw input_error("cannot write the result to '{}': {}; choose another place with --output-file", path_.string(),
                      why);
  }
}

// HDF5 keeps the data that it used to create the file, about 50 KiB per dataset. Reopening the file frees it.
void Hdf5Sink::reopen() {
  hdf5_check(H5Fflush(file_, H5F_SCOPE_LOCAL), "lay out the file");
  file_.reset();
  check_disk();
  H5garbage_collect();
  if (blocks_.size() > many_datasets) ::malloc_trim(0);
  if (options_.compression == 0 && text_blocks_.empty()) append_directly();
  if (appender_ != nullptr) return;
  open(H5F_ACC_RDWR);
  for (Block& block : blocks_) {
    block.dataset = Hdf5Id(H5Dopen2(file_, block.path.c_str(), H5P_DEFAULT), H5Dclose, "open a dataset");
  }
}

void Hdf5Sink::append_directly() {
  std::vector<GrowingDataset> datasets;
  for (const Block& block : blocks_) {
    const std::size_t rank = &block == blocks_.data() ? 1 : 2;
    datasets.push_back({block.header, {rank, block.chunk_rows, block.columns, block.row_bytes / block.columns}});
  }
  appender_ = Hdf5Appender::open(path_, datasets, status_);
}

void Hdf5Sink::lay_out(const Header& header) {
  blocks_.clear();
  Block& time = blocks_.emplace_back();
  time.path = "/time";
  time.columns = 1;
  std::map<std::pair<std::string, Type>, std::size_t> known;
  std::array<std::size_t, type_count> next{};
  for (std::size_t i = 0; i < header.signals.size(); ++i) {
    const Signal& signal = header.signals[i];
    const auto [place, is_new] = known.try_emplace({signal.group, signal.type}, blocks_.size());
    if (is_new) {
      Block& block = blocks_.emplace_back();
      block.type = signal.type;
      block.group = signal.group;
      block.path = dataset_path(signal.group, signal.type);
    }
    Block& block = blocks_[place->second];
    block.signals.push_back(i);
    const std::size_t from = next[static_cast<std::size_t>(signal.type)]++;
    if (!block.runs.empty() && block.runs.back().from + block.runs.back().count == from) {
      ++block.runs.back().count;
    } else {
      block.runs.push_back({from, block.columns, 1});
    }
    ++block.columns;
  }
  const std::size_t pages = most_in_memory / blocks_.size() / smallest_chunk;  // chunks are aligned to pages
  const std::size_t chunk = std::clamp(pages * smallest_chunk, smallest_chunk, largest_chunk);
  for (Block& block : blocks_) {
    block.row_bytes = block.columns * element_size(block.type);
    block.chunk_rows = std::max<std::size_t>(1, chunk / block.row_bytes);
    if (is_text(block.type)) {
      block.texts.resize(block.chunk_rows * block.columns);
      text_blocks_.push_back(static_cast<std::size_t>(&block - blocks_.data()));
    } else {
      block.bytes.resize(block.chunk_rows * block.row_bytes);
      block.first_copy = copies_.size();
      for (const Run& run : block.runs) {
        const std::size_t element = block.row_bytes / block.columns;
        copies_.push_back({nullptr, run.from * element, static_cast<std::uint32_t>(run.count * element),
                           static_cast<std::uint32_t>(block.type), block.row_bytes});
      }
    }
    place_copies(block);
  }
  widths_ = next;
  store_complete();  // no chunk is complete yet, but this sets complete_at_
}

void Hdf5Sink::create(Block& block, int rank) {
  const hsize_t none[2] = {0, block.columns};
  const hsize_t most[2] = {H5S_UNLIMITED, block.columns};
  const hsize_t chunk[2] = {block.chunk_rows, block.columns};
  const Hdf5Id space(H5Screate_simple(rank, none, most), H5Sclose, "lay out a dataset");
  const Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "lay out a dataset");
  hdf5_check(H5Pset_chunk(creation, rank, chunk), "lay out a dataset");
  hdf5_check(H5Pset_obj_track_times(creation, 0), "lay out a dataset");
  if (options_.compression > 0 && !is_text(block.type)) {
    hdf5_check(H5Pset_deflate(creation, static_cast<unsigned>(options_.compression)), "compress a dataset");
  } else if (!is_text(block.type)) {
    hdf5_check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), "lay out a dataset");
  }
  const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "lay out a dataset");
  hdf5_check(H5Pset_create_intermediate_group(links, 1), "lay out a dataset");
  hdf5_check(H5Pset_char_encoding(links, H5T_CSET_UTF8), "lay out a dataset");
  block.memory_type = hdf5_type(block.type);
  block.dataset = Hdf5Id(H5Dcreate2(file_, block.path.c_str(), block.memory_type, space, links, creation, H5P_DEFAULT),
                         H5Dclose, "lay out a dataset");
}

void Hdf5Sink::describe(const Block& block, const Header& header) {
  if (block.type == Type::Binary) write_text(block.dataset, "encoding", "hexadecimal");
  if (block.columns > most_in_attribute) return;
  std::vector<const char*> names;
  std::vector<const char*> units;
  std::vector<const char*> descriptions;
  std::vector<std::uint8_t> discrete;
  for (const std::size_t i : block.signals) {
    const Signal& signal = header.signals[i];
    names.push_back(signal.name.c_str());
    units.push_back(signal.unit.c_str());
    descriptions.push_back(signal.description.c_str());
    discrete.push_back(signal.discrete ? 1 : 0);
  }
  write_texts(block.dataset, "names", names);
  write_texts(block.dataset, "units", units);
  write_texts(block.dataset, "descriptions", descriptions);
  write_attribute(block.dataset, "discrete", H5T_NATIVE_UINT8, discrete.size(), discrete.data());
}

void Hdf5Sink::write_facts(const Header& header) {
  const Hdf5Id root(H5Gopen2(file_, "/", H5P_DEFAULT), H5Gclose, "describe the run");
  write_text(root, "format", hdf5_format_name);
  write_attribute(root, "version", H5T_NATIVE_INT64, 0, &hdf5_format_version);
  for (const Fact& fact : header.facts) {
    if (fact.name.empty() || H5Aexists(root, fact.name.c_str()) > 0) continue;
    write_text(root, fact.name.c_str(), fact.value);
  }
}

void Hdf5Sink::write_variables(const Header& header) {
  std::vector<Hdf5Variable> table(header.signals.size());
  for (std::size_t b = 1; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    for (std::size_t column = 0; column < block.columns; ++column) {
      const Signal& s = header.signals[block.signals[column]];
      table[block.signals[column]] = {s.name.c_str(),           block.path.c_str(), static_cast<std::int64_t>(column),
                                      name_of(s.type).data(),   s.unit.c_str(),     s.description.c_str(),
                                      std::uint8_t{s.discrete}, s.group.c_str()};
    }
  }
  const Hdf5Id memory = hdf5_variable_type();
  const Hdf5Id packed(H5Tcopy(memory), H5Tclose, "list the variables");
  hdf5_check(H5Tpack(packed), "list the variables");
  const hsize_t count = table.size();
  const Hdf5Id space(H5Screate_simple(1, &count, nullptr), H5Sclose, "list the variables");
  const Hdf5Id dataset(H5Dcreate2(file_, "/variables", packed, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
                       "list the variables");
  if (table.empty()) return;
  hdf5_check(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.data()), "list the variables");
}

// --- rows

void Hdf5Sink::append_texts(Block& block, const Columns& row) {
  std::string* to = block.texts.data() + (rows_ - block.chunk_begin) * block.columns;
  const auto add = [&](const auto& column) {
    for (const Run& run : block.runs) {
      for (std::size_t i = 0; i < run.count; ++i, ++to) {
        to->clear();
        append_element(*to, column[run.from + i]);
        text_bytes_ += to->size();
      }
    }
  };
  if (block.type == Type::String) {
    add(row.column<std::string>());
  } else {
    add(row.column<Binary>());
  }
}

// Stores the rows that are not in the file yet.
void Hdf5Sink::store(Block& block) {
  if (block.stored < rows_) {
    if (appender_ != nullptr) {
      const auto in_chunk = static_cast<std::size_t>(block.stored - block.chunk_begin);
      const auto count = static_cast<std::size_t>(rows_ - block.stored);
      appender_->write(static_cast<std::size_t>(&block - blocks_.data()), block.stored,
                       std::span(block.bytes).subspan(in_chunk * block.row_bytes, count * block.row_bytes));
    } else {
      store_rows(block);
    }
    since_commit_ += (rows_ - block.stored) * block.row_bytes;
    block.stored = rows_;
  }
  if (rows_ - block.chunk_begin < block.chunk_rows) return;
  block.chunk_begin = rows_;
  place_copies(block);
}

// Uses the library; with compression, it reads, extends and rewrites the chunk.
void Hdf5Sink::store_rows(Block& block) {
  const int rank = &block == blocks_.data() ? 1 : 2;
  const std::size_t in_chunk = static_cast<std::size_t>(block.stored - block.chunk_begin);
  const hsize_t begin[2] = {block.stored, 0};
  const hsize_t count[2] = {rows_ - block.stored, block.columns};
  const hsize_t extent[2] = {rows_, block.columns};
  hdf5_check(H5Dset_extent(block.dataset, extent), "extend a dataset");
  const Hdf5Id space(H5Dget_space(block.dataset), H5Sclose, "extend a dataset");
  hdf5_check(H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, nullptr, count, nullptr), "extend a dataset");
  const Hdf5Id memory(H5Screate_simple(rank, count, nullptr), H5Sclose, "extend a dataset");
  std::vector<const char*> pointers;
  if (is_text(block.type)) {
    for (std::size_t i = in_chunk * block.columns; i < (rows_ - block.chunk_begin) * block.columns; ++i) {
      pointers.push_back(block.texts[i].c_str());
      text_bytes_ -= block.texts[i].size();
    }
  }
  const void* const data =
      is_text(block.type) ? static_cast<const void*>(pointers.data()) : block.bytes.data() + in_chunk * block.row_bytes;
  hdf5_check(H5Dwrite(block.dataset, block.memory_type, memory, space, H5P_DEFAULT, data), "write rows");
}

// Points the copies to the first row of the chunk.
void Hdf5Sink::place_copies(Block& block) {
  if (&block == blocks_.data()) time_to_ = block.bytes.data();
  if (is_text(block.type) || &block == blocks_.data()) return;
  const std::size_t element = block.row_bytes / block.columns;
  for (std::size_t i = 0; i < block.runs.size(); ++i) {
    copies_[block.first_copy + i].to = block.bytes.data() + block.runs[i].to * element;
  }
}

void Hdf5Sink::store_complete() {
  complete_at_ = std::numeric_limits<std::uint64_t>::max();
  for (Block& block : blocks_) {
    if (rows_ - block.chunk_begin == block.chunk_rows) store(block);
    complete_at_ = std::min(complete_at_, block.chunk_begin + block.chunk_rows);
  }
}

void Hdf5Sink::commit(bool also_incomplete) {
  if (also_incomplete) {
    for (Block& block : blocks_) store(block);
    store_complete();
    skipped_ = 0;
  }
  if (appender_ != nullptr) {
    appender_->commit(rows_);
  } else {
    hdf5_check(H5Fflush(file_, H5F_SCOPE_LOCAL), "flush");
  }
  since_commit_ = 0;
  clock_.restart();
}

void Hdf5Sink::close() noexcept {
  if (!is_open()) return;
  const Hdf5Session session;
  appender_.reset();
  blocks_.clear();
  file_.reset();
}

}  // namespace consort::record
