#include "record/buffered_sink.hpp"

#include <algorithm>
#include <cstring>

#include <unistd.h>

#include "base/error.hpp"
#include "os/crash_guard.hpp"

namespace consort::record {

namespace {

using namespace std::chrono_literals;

// Sleep time of an idle writer; it is woken earlier when the buffer fills.
constexpr auto nap = 20ms;
constexpr std::size_t time_size = sizeof(Time);
// Marker in place of the text size: the record holds a pointer to a copy of the row, which is too large for the ring.
constexpr std::uint64_t is_elsewhere = ~std::uint64_t{0};

bool is_text(Type type) { return type == Type::String || type == Type::Binary; }

// Float64 first, then in order of decreasing size, so that all elements are aligned.
constexpr std::array numbers_by_size = {Type::Float64, Type::Int64,   Type::UInt64, Type::Enumeration, Type::Float32,
                                        Type::Int32,   Type::UInt32,  Type::Int16,  Type::UInt16,      Type::Int8,
                                        Type::UInt8,   Type::Boolean, Type::Clock};

template <class T>
std::byte* put(std::byte* to, const T& value) {
  std::memcpy(to, &value, sizeof value);
  return to + sizeof value;
}

template <class T>
const std::byte* take(const std::byte* from, T& value) {
  std::memcpy(&value, from, sizeof value);
  return from + sizeof value;
}

}  // namespace

BufferedSink::BufferedSink(std::span<Sink* const> sinks, std::size_t capacity) : capacity_(capacity) {
  for (Sink* const sink : sinks) targets_.push_back({sink, false, true});
}

BufferedSink::~BufferedSink() {
  try {
    end();
  } catch (...) {  // NOLINT(bugprone-empty-catch): end() reports failures
  }
}

// --- the caller's thread

void BufferedSink::lay_out(const Header& header) {
  std::array<std::size_t, type_count> count{};
  for (const Signal& signal : header.signals) ++count[static_cast<std::size_t>(signal.type)];
  fixed_size_ = 0;
  const auto add = [&](Type type) {
    const std::size_t n = count[static_cast<std::size_t>(type)];
    offsets_[static_cast<std::size_t>(type)] = fixed_size_;
    with_type(type, [&]<class T>() { row_.column<T>().resize(n); });
    if (n == 0) return;
    (is_text(type) ? text_parts_ : parts_).push_back({type, n, fixed_size_});
    if (!is_text(type)) with_type(type, [&]<class T>() { fixed_size_ += n * sizeof(T); });
  };
  for (const Type type : numbers_by_size) add(type);
  fixed_size_ = (fixed_size_ + 7) & ~std::size_t{7};
  add(Type::String);
  add(Type::Binary);
  only_doubles_ = text_parts_.empty() && parts_.size() == 1 && parts_[0].type == Type::Float64;
  ring_ = std::make_unique<RowRing>(std::max(capacity_, 2 * (fixed_size_ + 64)));
}

void BufferedSink::begin(const Header& header) {
  CONSORT_ASSERT(!thread_.joinable());
  lay_out(header);
  try {
    for (; begun_ < targets_.size(); ++begun_) targets_[begun_].sink->begin(header);
  } catch (...) {
    reported_ = true;
    end_sinks();
    throw;
  }
  start();
}

bool BufferedSink::resume(const Header& header, std::uint64_t rows, const KnownRow* last) {
  CONSORT_ASSERT(!thread_.joinable());
  std::size_t going_on = 0;
  try {
    for (; going_on < targets_.size() && targets_[going_on].sink->resume(header, rows, last); ++going_on)
      begun_ = going_on + 1;
    require(going_on == 0 || going_on == targets_.size(),
            "some results can be resumed from the checkpoint and others cannot; write them to new files");
  } catch (...) {
    reported_ = true;
    end_sinks();
    throw;
  }
  if (going_on == 0) return false;
  lay_out(header);
  start();
  return true;
}

void BufferedSink::start() {
  last_flush_ = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  thread_ = std::thread([this] { work(); });
  to_caller_.wait(lock, [this] { return ready_; });  // from here on, a crash can use the writer
}

void BufferedSink::write(Time t, const Columns& row) {
  if (text_parts_.empty()) {
    encode(begin_row(t), row);
    end_row();
    return;
  }
  const std::size_t texts = text_size(row);
  const std::size_t size = time_size + fixed_size_ + sizeof(std::uint64_t) + texts;
  if (size <= ring_->largest_record()) {
    std::byte* const to = reserve(size);
    put(to, t);
    put(to + time_size + fixed_size_, std::uint64_t{texts});
    encode(to + time_size, row);
  } else {
    std::byte* const to = reserve(time_size + fixed_size_ + 2 * sizeof(std::uint64_t));
    put(put(to + time_size + fixed_size_, is_elsewhere), new Columns(row));
    put(to, t);
  }
  ring_->publish();
}

std::byte* BufferedSink::begin_row(Time t) { return put(reserve(time_size + fixed_size_), t); }

std::byte* BufferedSink::reserve(std::size_t size) {
  CONSORT_ASSERT(thread_.joinable());
  if (failed_.load(std::memory_order_acquire)) throw_failure();
  // The writer sleeps while there is little to do; wake it when a quarter of the buffer is full.
  if (const std::uint64_t produced = ring_->produced(); produced >= look_at_) {
    if (produced - ring_->consumed() >= ring_->capacity() / 4) wake();
    look_at_ = produced + ring_->capacity() / 8;
  }
  for (int tries = 0; tries < 50; ++tries) {
    if (std::byte* const place = ring_->reserve(size)) return place;
  }
  return wait_for_room(size);
}

// Waits until the buffer is half empty; otherwise the caller would soon have to wait again.
std::byte* BufferedSink::wait_for_room(std::size_t size) {
  for (;;) {
    wake();
    std::unique_lock lock(mutex_);
    caller_waits_.store(true);
    to_caller_.wait_for(lock, 2ms, [this] { return is_half_empty(); });
    caller_waits_.store(false);
    lock.unlock();
    if (std::byte* const place = ring_->reserve(size)) return place;
  }
}

std::size_t BufferedSink::text_size(const Columns& row) const {
  std::size_t size = 0;
  for (const std::string& text : row.column<std::string>()) size += sizeof(std::uint64_t) + text.size();
  for (const Binary& bytes : row.column<Binary>()) size += sizeof(std::uint64_t) + bytes.size();
  return size;
}

// `to`: position of the numbers in the record.
void BufferedSink::encode(std::byte* to, const Columns& row) const {
  if (only_doubles_) {  // by far the most common case
    const std::vector<double>& column = row.column<double>();
    CONSORT_ASSERT(column.size() == parts_[0].count);
    std::memcpy(to, column.data(), column.size() * sizeof(double));
    return;
  }
  for (const Part& part : parts_) {
    with_type(part.type, [&]<class T>() {
      CONSORT_ASSERT(row.column<T>().size() == part.count);
      if constexpr (!std::is_same_v<T, std::string> && !std::is_same_v<T, Binary>) {
        std::memcpy(to + part.offset, row.column<T>().data(), part.count * sizeof(T));
      }
    });
  }
  if (text_parts_.empty()) return;
  std::byte* at = to + fixed_size_ + sizeof(std::uint64_t);
  const auto add = [&](const auto& text) {
    at = put(at, std::uint64_t{text.size()});
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    at += text.size();
  };
  for (const std::string& text : row.column<std::string>()) add(text);
  for (const Binary& bytes : row.column<Binary>()) add(bytes);
}

void BufferedSink::wake() {
  {
    const std::lock_guard lock(mutex_);
    writer_wanted_ = true;
  }
  to_writer_.notify_one();
}

void BufferedSink::throw_failure() {
  reported_ = true;
  std::rethrow_exception(failure_);
}

void BufferedSink::report_failure() {
  if (failed_.load(std::memory_order_acquire) && !reported_) throw_failure();
}

void BufferedSink::flush() {
  if (!thread_.joinable()) return;
  std::unique_lock lock(mutex_);
  const std::uint64_t wanted = ++flushes_wanted_;
  writer_wanted_ = true;
  to_writer_.notify_one();
  to_caller_.wait(lock, [&] { return flushes_done_ >= wanted; });
  lock.unlock();
  report_failure();
}

void BufferedSink::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = writer_wanted_ = true;
  }
  to_writer_.notify_one();
  thread_.join();
  end_sinks();
  report_failure();
}

// Ends every begun sink, even if others fail.
void BufferedSink::end_sinks() {
  for (std::size_t i = 0; i < begun_; ++i) {
    try {
      if (!targets_[i].failed)
        for (const Table& table : tables_) targets_[i].sink->add_table(table);
    } catch (...) {
      if (!failed_) failure_ = std::current_exception();
      failed_ = true;
    }
    try {
      targets_[i].sink->end();
    } catch (...) {
      if (!failed_) failure_ = std::current_exception();
      failed_ = true;
    }
  }
  begun_ = 0;
}

std::vector<std::string> BufferedSink::warnings() const {
  std::vector<std::string> all;
  for (const Target& target : targets_) {
    for (std::string& warning : target.sink->warnings()) all.push_back(std::move(warning));
  }
  return all;
}

// --- the writer thread

template <class Action>
void BufferedSink::attempt(Target& target, Action&& action) {
  try {
    action();
  } catch (...) {
    target.failed = true;
    if (failed_.load(std::memory_order_relaxed)) return;
    failure_ = std::current_exception();
    failed_.store(true, std::memory_order_release);
  }
}

void BufferedSink::work() {
  os::use_crash_stack();
  emergency_.attach();
  {
    const std::lock_guard lock(mutex_);
    ready_ = true;
  }
  to_caller_.notify_one();
  std::uint64_t flushed = 0;
  for (bool stop = false; !stop;) {
    std::uint64_t wanted = 0;
    {
      std::unique_lock lock(mutex_);
      to_writer_.wait_for(lock, nap, [this] { return writer_wanted_; });
      writer_wanted_ = false;
      wanted = flushes_wanted_;
      stop = stop_;
    }
    if (emergency_.wanted()) drain_and_stay();
    while (drain()) {
      if (emergency_.wanted()) drain_and_stay();
    }
    if (wanted > flushed || (dirty_ && std::chrono::steady_clock::now() - last_flush_ > 1s)) flush_sinks();
    if (wanted == flushed) continue;
    flushed = wanted;
    const std::lock_guard lock(mutex_);
    flushes_done_ = wanted;
    to_caller_.notify_one();
  }
  emergency_.detach();
}

// Passes on some rows. Returns false if there are no more.
bool BufferedSink::drain() {
  if (text_parts_.empty()) return drain_batch();
  const auto record = ring_->front();
  if (record.data() == nullptr) return false;
  hand_over(record, true);
  ring_->pop();
  dirty_ = true;
  give_room();
  return true;
}

// Rows without texts have the same size, so that many of them are contiguous.
bool BufferedSink::drain_batch() {
  constexpr std::size_t batch_bytes = std::size_t{128} << 10;  // stays in the cache while it is decoded
  const auto record = ring_->front();
  if (record.data() == nullptr) return false;
  const std::size_t stride = RowRing::stride(record.size());
  RowBatch batch{record.data(), stride, ring_->run(record.size(), 1 + batch_bytes / stride), {}};
  for (std::size_t i = 0; i < type_count; ++i) batch.offsets[i] = time_size + offsets_[i];
  bool one_by_one = false;
  for (Target& target : targets_) {
    if (target.failed) continue;
    if (target.takes_batches) attempt(target, [&] { target.takes_batches = target.sink->write_batch(batch); });
    one_by_one |= !target.takes_batches;
  }
  for (std::size_t i = 0; one_by_one && i < batch.count; ++i) {
    hand_over({record.data() + i * stride, record.size()}, false);
  }
  ring_->pop_many(record.size(), batch.count);
  dirty_ = true;
  give_room();
  return true;
}

// A waiting caller that is missed here checks by itself after a short time.
void BufferedSink::give_room() {
  if (!caller_waits_.load(std::memory_order_relaxed) || !is_half_empty()) return;
  { const std::lock_guard lock(mutex_); }
  to_caller_.notify_one();
}

// Passes the row to all sinks, or only to those that do not accept batches.
void BufferedSink::hand_over(std::span<const std::byte> record, bool to_all) {
  decode(record);
  Time t = 0;
  take(record.data(), t);
  for (Target& target : targets_) {
    if (target.failed || (target.takes_batches && !to_all)) continue;
    attempt(target, [&] { target.sink->write(t, row_); });
  }
}

// The process is about to end: writes the rows published so far and no later ones.
void BufferedSink::drain_and_stay() {
  const std::uint64_t until = ring_->produced();
  while (ring_->consumed() < until && drain()) {
  }
  flush_sinks();
  emergency_.done();
  for (;;) ::pause();
}

void BufferedSink::decode(std::span<const std::byte> record) {
  const std::byte* const numbers = record.data() + time_size;
  for (const Part& part : parts_) {
    with_type(part.type, [&]<class T>() {
      if constexpr (!std::is_same_v<T, std::string> && !std::is_same_v<T, Binary>) {
        std::memcpy(row_.column<T>().data(), numbers + part.offset, part.count * sizeof(T));
      }
    });
  }
  if (text_parts_.empty()) return;
  std::uint64_t size = 0;
  const std::byte* at = take(numbers + fixed_size_, size);
  if (size == is_elsewhere) {
    Columns* row = nullptr;
    take(at, row);
    row_ = *std::unique_ptr<Columns>(row);
    return;
  }
  const auto next = [&](auto& text) {
    at = take(at, size);
    const auto* const begin = reinterpret_cast<const typename std::decay_t<decltype(text)>::value_type*>(at);
    text.assign(begin, begin + size);
    at += size;
  };
  for (std::string& text : row_.column<std::string>()) next(text);
  for (Binary& bytes : row_.column<Binary>()) next(bytes);
}

void BufferedSink::flush_sinks() {
  for (Target& target : targets_) {
    if (!target.failed) attempt(target, [&] { target.sink->flush(); });
  }
  dirty_ = false;
  last_flush_ = std::chrono::steady_clock::now();
}

}  // namespace consort::record
