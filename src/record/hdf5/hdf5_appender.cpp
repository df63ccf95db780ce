#include "record/hdf5/hdf5_appender.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"

namespace consort::record {

namespace {

constexpr std::size_t usual_children = 64;  // default of superblocks that do not contain it

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// --- the superblock of versions 0 and 1

constexpr std::array<unsigned char, 8> signature = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
constexpr std::size_t superblock_bytes = 64;
constexpr std::size_t version_at = 8;
constexpr std::size_t address_size_at = 13;
constexpr std::size_t length_size_at = 14;
constexpr std::size_t half_of_children_at = 24;  // only in version 1, which has 4 more bytes
constexpr std::size_t end_at = 40;

// --- object headers of version 1

constexpr std::size_t header_bytes = 16;
constexpr std::size_t header_size_at = 8;
constexpr std::size_t message_head = 8;
constexpr std::uint64_t largest_header = std::uint64_t{1} << 20;
constexpr std::uint64_t extent_message = 0x0001;
constexpr std::uint64_t layout_message = 0x0008;
constexpr std::uint64_t continuation_message = 0x0010;
constexpr std::size_t first_extent_at = 8;
constexpr std::uint64_t chunked = 2;
constexpr std::size_t root_address_at = 3;

struct Span {
  std::uint64_t address;
  std::uint64_t size;
};

}  // namespace

std::unique_ptr<Hdf5Appender> Hdf5Appender::open(const std::filesystem::path& file,
                                                 std::span<const GrowingDataset> datasets, CommitStatus& status) {
  const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return nullptr;
  std::unique_ptr<Hdf5Appender> appender(new Hdf5Appender(fd, status));
  return appender->find(datasets) ? std::move(appender) : nullptr;
}

Hdf5Appender::~Hdf5Appender() { ::close(fd_); }

// --- existing structures

bool Hdf5Appender::find(std::span<const GrowingDataset> datasets) {
  if (!read_superblock()) return false;
  datasets_.reserve(datasets.size());
  for (const GrowingDataset& d : datasets) {
    Growing& growing = datasets_.emplace_back(
        Growing{d.chunk, ChunkTree(d.chunk, most_children_), no_address, no_address, no_address, no_address});
    if (growing.tree.node_bytes() > page || !find_places(d.header, growing)) return false;
  }
  return true;
}

bool Hdf5Appender::read_superblock() {
  const auto block = read(0, superblock_bytes);
  if (block.empty() || std::memcmp(block.data(), signature.data(), signature.size()) != 0) return false;
  const auto version = number_at(block.data() + version_at, 1);
  if (version > 1 || number_at(block.data() + address_size_at, 1) != 8 ||
      number_at(block.data() + length_size_at, 1) != 8)
    return false;
  most_children_ = version == 0 ? usual_children : 2 * number_at(block.data() + half_of_children_at, 2);
  end_at_ = version == 0 ? end_at : end_at + 4;
  end_ = committed_ = number_at(block.data() + end_at_);
  return true;
}

bool Hdf5Appender::find_places(std::uint64_t header, Growing& growing) const {
  const auto head = read(header, header_bytes);
  if (head.empty() || number_at(head.data(), 1) != 1) return false;
  std::vector<Span> spans{{header + header_bytes, number_at(head.data() + header_size_at, 4)}};
  for (std::size_t s = 0; s < spans.size(); ++s) {
    const Span span = spans[s];
    if (span.size > largest_header) return false;
    const auto bytes = read(span.address, static_cast<std::size_t>(span.size));
    for (std::size_t at = 0; at + message_head <= bytes.size();) {
      const auto type = number_at(bytes.data() + at, 2);
      const auto size = static_cast<std::size_t>(number_at(bytes.data() + at + 2, 2));
      at += message_head;
      if (at + size > bytes.size()) return false;
      const auto data = std::span(bytes).subspan(at, size);
      if (type == continuation_message && size >= 16) {
        spans.push_back({number_at(data.data()), number_at(data.data() + 8)});
      } else if (!look_at_message(type, data, span.address + at, growing)) {
        return false;
      }
      at += size;
    }
  }
  return growing.rows_at != no_address && growing.root_at != no_address;
}

// Returns false if the message shows that the dataset is not supported.
bool Hdf5Appender::look_at_message(std::uint64_t type, std::span<const std::byte> data, std::uint64_t address,
                                   Growing& growing) const {
  const std::size_t rank = growing.chunk.rank;
  if (type == extent_message) {
    if (data.size() < first_extent_at + 8 * rank || number_at(data.data(), 1) != 1 ||
        number_at(data.data() + 1, 1) != rank || number_at(data.data() + first_extent_at) != 0)
      return false;
    growing.rows_at = address + first_extent_at;
  } else if (type == layout_message) {
    if (data.size() < root_address_at + 8 + 4 * rank || number_at(data.data(), 1) != 3 ||
        number_at(data.data() + 1, 1) != chunked || number_at(data.data() + 2, 1) != rank + 1 ||
        number_at(data.data() + root_address_at) != no_address ||
        number_at(data.data() + root_address_at + 8, 4) != growing.chunk.rows)
      return false;
    growing.root_at = address + root_address_at;
  }
  return true;
}

std::vector<std::byte> Hdf5Appender::read(std::uint64_t address, std::size_t size) const {
  std::vector<std::byte> bytes(size);
  const ssize_t got = ::pread(fd_, bytes.data(), size, static_cast<off_t>(address));
  if (got != static_cast<ssize_t>(size)) bytes.clear();
  return bytes;
}

// --- rows

void Hdf5Appender::write(std::size_t dataset, std::uint64_t row, std::span<const std::byte> bytes) {
  Growing& growing = datasets_[dataset];
  const std::uint64_t in_chunk = row % growing.chunk.rows;
  CONSORT_ASSERT(in_chunk * growing.chunk.row_bytes() + bytes.size() <= growing.chunk.bytes());
  if (in_chunk == 0) {
    growing.last_chunk = allocate(growing.chunk.bytes(), growing.chunk.bytes() < page ? 8 : page);
    growing.tree.append(row, growing.last_chunk, [&] { return allocate_node(growing.tree.node_bytes()); });
  }
  CONSORT_ASSERT(growing.last_chunk != no_address);
  put(growing.last_chunk + in_chunk * growing.chunk.row_bytes(), bytes);
}

void Hdf5Appender::commit(std::uint64_t rows) {
  const auto put_node = [&](std::uint64_t address, std::span<const std::byte> bytes) { put(address, bytes); };
  for (const Growing& d : datasets_) d.tree.write(true, put_node);
  if (end_ != committed_) {
    struct stat now {};
    const bool grown =
        status_.error == 0 && ::fstat(fd_, &now) == 0 &&
        (static_cast<std::uint64_t>(now.st_size) >= end_ || ::ftruncate(fd_, static_cast<off_t>(end_)) == 0);
    if (!grown && status_.error == 0) status_.error = errno;
    put_number_at(end_at_, end_);
    committed_ = end_;
  }
  for (Growing& d : datasets_) {
    d.tree.write(false, put_node);
    d.tree.settle();
  }
  for (Growing& d : datasets_) {
    if (d.tree.root() != d.root) put_number_at(d.root_at, d.tree.root());
    d.root = d.tree.root();
  }
  if (rows != rows_)
    for (std::size_t i = datasets_.size(); i-- > 0;) put_number_at(datasets_[i].rows_at, rows);
  rows_ = rows;
}

std::uint64_t Hdf5Appender::allocate(std::uint64_t size, std::uint64_t alignment) {
  const std::uint64_t address = round_up(end_, alignment);
  end_ = address + size;
  return address;
}

// Allocates a node; small nodes share a page.
std::uint64_t Hdf5Appender::allocate_node(std::size_t size) {
  const std::uint64_t slot = std::bit_ceil(std::uint64_t{size});
  node_place_ = round_up(node_place_, slot);
  if (node_place_ + slot > node_page_end_) {
    node_place_ = allocate(page, page);
    node_page_end_ = node_place_ + page;
  }
  return std::exchange(node_place_, node_place_ + slot);
}

void Hdf5Appender::put(std::uint64_t address, std::span<const std::byte> bytes) {
  while (!bytes.empty() && status_.error == 0) {
    const ssize_t n = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (n < 0 && errno != EINTR) status_.error = errno;
    if (n <= 0) continue;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    address += static_cast<std::uint64_t>(n);
  }
}

void Hdf5Appender::put_number_at(std::uint64_t address, std::uint64_t value) {
  std::array<std::byte, 8> bytes{};
  put_number(bytes.data(), value);
  put(address, bytes);
}

}  // namespace consort::record
