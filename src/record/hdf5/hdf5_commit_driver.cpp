#include "record/hdf5/hdf5_commit_driver.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/hdf5/hdf5_handle.hpp"
#include "record/hdf5/hdf5_text_collection.hpp"

namespace consort::record {

namespace {

constexpr hsize_t smallest_aligned = 512;  // smaller than all nodes of chunk B-trees

struct DriverInfo {
  CommitStatus* status;
};

struct Block {
  H5FD_mem_t kind = H5FD_MEM_DEFAULT;
  std::vector<char> bytes;
};

struct CommitFile : H5FD_t {
  int fd = -1;
  CommitStatus* status = nullptr;
  haddr_t eoa = 0;                     // end of the space allocated by HDF5
  haddr_t committed = 0;               // eoa at the last commit
  std::map<haddr_t, Block> waiting{};  // blocks never overlap

  CommitFile() : H5FD_t{} {}

  void put(haddr_t address, const char* data, std::size_t size);
  void put_from_behind(haddr_t address, const std::vector<char>& bytes, const std::vector<char>& in_file);
  void put_collection(haddr_t address, const std::vector<char>& bytes);
  [[nodiscard]] bool read_at(haddr_t address, std::vector<char>& bytes) const;
  void commit();
  [[nodiscard]] int stage_of(haddr_t address, const Block& block) const;
};

CommitFile& of(H5FD_t* file) { return *static_cast<CommitFile*>(file); }
const CommitFile& of(const H5FD_t* file) { return *static_cast<const CommitFile*>(file); }

// --- writing

void CommitFile::put(haddr_t address, const char* data, std::size_t size) {
  while (size > 0 && status->error == 0) {
    const ssize_t n = ::pwrite(fd, data, size, static_cast<off_t>(address));
    if (n < 0 && errno != EINTR) status->error = errno;
    if (n <= 0) continue;
    data += n;
    address += static_cast<haddr_t>(n);
    size -= static_cast<std::size_t>(n);
  }
}

// Writes page by page, last page first, and only the pages that differ from the bytes in the file as far as these are
// known. A collection of texts grows towards its end: a reader that sees old pages before new ones finds the previous
// end there.
void CommitFile::put_from_behind(haddr_t address, const std::vector<char>& bytes, const std::vector<char>& in_file) {
  haddr_t end = address + bytes.size();
  while (end > address) {
    const haddr_t begin = std::max(address, (end - 1) / page * page);
    const std::size_t offset = begin - address;
    const std::size_t size = end - begin;
    const bool known = offset + size <= in_file.size();
    if (!known || std::memcmp(bytes.data() + offset, in_file.data() + offset, size) != 0)
      put(begin, bytes.data() + offset, size);
    end = begin;
  }
}

// Writes a collection of texts, which the file may have in an earlier state.
void CommitFile::put_collection(haddr_t address, const std::vector<char>& bytes) {
  std::vector<char> in_file(text_collection_header);
  if (address >= committed || !read_at(address, in_file) || !is_text_collection(in_file) ||
      declared_size(in_file) > bytes.size())
    return put_from_behind(address, bytes, {});
  in_file.resize(declared_size(in_file));
  if (!read_at(address, in_file)) in_file.clear();
  for (auto& step : steps_between(in_file, bytes, page)) {
    put_from_behind(address, step, in_file);
    in_file = std::move(step);
  }
  put_from_behind(address, bytes, in_file);
}

bool CommitFile::read_at(haddr_t address, std::vector<char>& bytes) const {
  return ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(address)) == static_cast<ssize_t>(bytes.size());
}

// B-trees of version 1 have at most 255 levels; the level is the sixth byte of a node.
constexpr int first_tree_stage = 3;
constexpr int header_stage = first_tree_stage + 256;

int CommitFile::stage_of(haddr_t address, const Block& block) const {
  if (block.kind == H5FD_MEM_SUPER) return 1;
  if (address >= committed) return 0;
  if (block.kind == H5FD_MEM_OHDR) return header_stage;
  const bool is_tree = block.bytes.size() > 5 && std::memcmp(block.bytes.data(), "TREE", 4) == 0;
  if (!is_tree) return 2;
  return first_tree_stage + 255 - static_cast<unsigned char>(block.bytes[5]);
}

void CommitFile::commit() {
  if (status->error != 0) {
    waiting.clear();
    return;
  }
  struct stat now {};
  if (::fstat(fd, &now) != 0 ||
      (static_cast<haddr_t>(now.st_size) < eoa && ::ftruncate(fd, static_cast<off_t>(eoa)) != 0)) {
    status->error = errno;
    return;
  }
  struct Write {
    int stage;
    haddr_t address;
    const Block* block;
  };
  std::vector<Write> writes;
  writes.reserve(waiting.size());
  for (const auto& [address, block] : waiting) writes.push_back({stage_of(address, block), address, &block});
  std::sort(writes.begin(), writes.end(), [](const Write& a, const Write& b) {
    if (a.stage != b.stage) return a.stage < b.stage;
    return a.stage == header_stage ? a.address > b.address : a.address < b.address;
  });
  for (const Write& w : writes) {
    if (w.block->kind == H5FD_MEM_DRAW) {
      put_collection(w.address, w.block->bytes);
    } else {
      put(w.address, w.block->bytes.data(), w.block->bytes.size());
    }
  }
  waiting.clear();
  committed = eoa;
}

// --- callbacks for HDF5

H5FD_t* open_file(const char* name, unsigned flags, hid_t access, haddr_t max_address) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  if (info == nullptr || max_address == 0 || (flags & H5F_ACC_RDWR) == 0) return nullptr;
  auto file = std::make_unique<CommitFile>();
  file->status = info->status;
  const int how = O_RDWR | O_CLOEXEC | O_NOCTTY | ((flags & H5F_ACC_TRUNC) != 0 ? O_CREAT | O_TRUNC : 0);
  file->fd = ::open(name, how, 0666);
  // HDF5 first opens the file without truncation to check whether it exists: only the last attempt counts.
  info->status->error = file->fd < 0 ? errno : 0;
  if (file->fd < 0) return nullptr;
  struct stat found {};
  if (::fstat(file->fd, &found) == 0) file->committed = static_cast<haddr_t>(found.st_size);
  return file.release();
}

herr_t close_file(H5FD_t* file) {
  const std::unique_ptr<CommitFile> owned(&of(file));
  owned->commit();
  ::close(owned->fd);
  return 0;
}

int compare_files(const H5FD_t* a, const H5FD_t* b) {
  struct stat one {};
  struct stat two {};
  ::fstat(of(a).fd, &one);
  ::fstat(of(b).fd, &two);
  if (one.st_dev != two.st_dev) return one.st_dev < two.st_dev ? -1 : 1;
  if (one.st_ino != two.st_ino) return one.st_ino < two.st_ino ? -1 : 1;
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = 0;  // no aggregation or accumulation: blocks arrive one by one with their kinds
  return 0;
}

haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t) { return of(file).eoa; }

herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  of(file).eoa = address;
  return 0;
}

// A frozen file is shorter than HDF5 assumes; hide this from HDF5.
haddr_t get_eof(const H5FD_t* file, H5FD_mem_t) {
  struct stat status {};
  const haddr_t size = ::fstat(of(file).fd, &status) == 0 ? static_cast<haddr_t>(status.st_size) : 0;
  return std::max(size, of(file).eoa);
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  auto* const to = static_cast<char*>(buffer);
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::pread(of(file).fd, to + got, size - got, static_cast<off_t>(address + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  std::memset(to + got, 0, size - got);
  const auto& waiting = of(file).waiting;
  auto at = waiting.upper_bound(address);
  if (at != waiting.begin()) --at;
  for (; at != waiting.end() && at->first < address + size; ++at) {
    const haddr_t begin = at->first;
    const haddr_t first = std::max(begin, address);
    const haddr_t last = std::min(begin + at->second.bytes.size(), address + size);
    if (first < last) std::memcpy(to + (first - address), at->second.bytes.data() + (first - begin), last - first);
  }
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t kind, hid_t, haddr_t address, std::size_t size, const void* buffer) {
  CommitFile& to = of(file);
  const auto* const data = static_cast<const char*>(buffer);
  if (kind == H5FD_MEM_DRAW && !is_text_collection({data, size})) {
    to.put(address, data, size);
    return 0;
  }
  auto next = to.waiting.lower_bound(address);
  const bool meets_last =
      next != to.waiting.begin() && std::prev(next)->first + std::prev(next)->second.bytes.size() > address;
  // The same block, which may have grown, replaces the waiting one.
  if (next != to.waiting.end() && next->first == address && next->second.bytes.size() <= size) ++next;
  const bool meets_next = next != to.waiting.end() && next->first < address + size;
  if (meets_next || meets_last) to.commit();  // blocks of other sizes overlap only while the file is created
  Block& block = to.waiting[address];
  block.kind = kind;
  block.bytes.assign(data, data + size);
  return 0;
}

herr_t flush(H5FD_t* file, hid_t, hbool_t) {
  of(file).commit();
  return 0;
}

hid_t driver() {
  static const hid_t id = [] {
    H5FD_class_t c{};
#ifdef H5FD_CLASS_VERSION  // since HDF5 1.14
    c.version = H5FD_CLASS_VERSION;
    c.value = H5_VFD_RESERVED;  // the first number for drivers that are not registered with the HDF Group
#endif
    c.name = "consort commit";
    c.maxaddr = (haddr_t{1} << 62) - 1;
    c.fc_degree = H5F_CLOSE_STRONG;
    c.fapl_size = sizeof(DriverInfo);
    c.open = open_file;
    c.close = close_file;
    c.cmp = compare_files;
    c.query = query;
    c.get_eoa = get_eoa;
    c.set_eoa = set_eoa;
    c.get_eof = get_eof;
    c.read = read;
    c.write = write;
    c.flush = flush;
    const H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), std::begin(c.fl_map));
    return H5FDregister(&c);
  }();
  return id;
}

}  // namespace

void use_commit_driver(hid_t access, CommitStatus& status, std::size_t cache_size) {
  const DriverInfo info{&status};
  hdf5_check(driver(), "register the driver");
  hdf5_check(H5Pset_driver(access, driver(), &info), "choose the driver");
  hdf5_check(H5Pset_alignment(access, smallest_aligned, page), "align blocks");
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  hdf5_check(H5Pget_mdc_config(access, &cache), "set up the cache");
  cache.set_initial_size = 1;
  cache.initial_size = cache_size;
  cache.min_size = cache_size;
  cache.max_size = cache_size;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  hdf5_check(H5Pset_mdc_config(access, &cache), "set up the cache");
}

}  // namespace consort::record
