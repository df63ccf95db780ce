#include "fmi/foreign/program/server.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "fmi/foreign/functions.hpp"
#include "fmi/foreign/program/platform.hpp"
#include "fmi/foreign/program/serve.hpp"
#include "fmi/safe_format.hpp"

namespace consort::fmi::foreign {

Server* the_server = nullptr;

namespace {

thread_local bool is_called = false;  // this thread serves calls

}  // namespace

Server::Server(Front& front, std::uint8_t* first_view) : front_(front), view_(first_view) { the_server = this; }

// --- turns -----------------------------------------------------------------------------------------------------------

void Server::await() {
  const auto is_there = [&] { return front_.engine.sent.load(std::memory_order_acquire) != turn_; };
  const auto spin = [&](int looks) {
    for (int i = 0; i < looks; ++i) {
      if (is_there()) return true;
      platform::relax();
    }
    return is_there();
  };
  constexpr int a_moment = 200;  // looks, about 2 µs
  if (front_.spin_us > 0 && !spin(a_moment)) {
    const double until = platform::microseconds() + front_.spin_us;
    while (!spin(a_moment) && platform::microseconds() < until) {
    }
  }
  if (!is_there()) front_.program_core.store(platform::core(), std::memory_order_relaxed);
  while (!is_there()) {
    front_.program.sleeps.store(1, std::memory_order_seq_cst);
    if (front_.engine.sent.load(std::memory_order_seq_cst) == turn_) platform::sleep_until_woken();
    front_.program.sleeps.store(0, std::memory_order_seq_cst);
  }
  ++turn_;
}

void Server::send(Message message) {
  front_.program.message = message;
  front_.program.sent.fetch_add(1, std::memory_order_seq_cst);
  if (front_.engine.sleeps.load(std::memory_order_seq_cst) != 0) platform::wake_engine();
}

std::uint8_t* Server::body(std::uint64_t base) {
  if (front_.engine.capacity > mapped_) {
    // The former view stays, because a call that is being served uses it.
    std::uint8_t* const larger = platform::map_segment(static_cast<std::size_t>(front_size + front_.engine.capacity));
    if (larger == nullptr) {
      std::strcpy(front_.failure, "cannot map a larger piece of the shared memory");
      platform::end(1);
    }
    view_ = larger;
    mapped_ = front_.engine.capacity;
  }
  return view_ + front_size + base;
}

// --- messages of the engine ------------------------------------------------------------------------------------------

void Server::run() {
  is_called = true;
  serve(false);
}

void Server::serve(bool until_resumed) {
  for (;;) {
    await();
    switch (front_.engine.message) {
      case Message::load: load(); break;
      case Message::call: call(); break;
      case Message::fetch: fetch(); break;
      case Message::resume:
        if (until_resumed) return;
        break;
      case Message::end: platform::unload(library_); platform::end(0);
      default: return;
    }
  }
}

void Server::answer(std::uint64_t result) {
  front_.program.result = result;
  send(Message::answer);
}

// The body of `load`: the version, the path of the binary, the model identifier. The answer has a word for each
// function of the version (1: the binary has it) behind the request, or result 1 and the reason in `failure`.
void Server::load() {
  place_ = {front_.engine.base, front_.engine.size};
  Cursor cursor(body(place_.base));
  const int version = static_cast<int>(cursor.word());
  const std::string path = reinterpret_cast<const char*>(take_bytes(cursor, 1));
  const std::string prefix = std::string(reinterpret_cast<const char*>(take_bytes(cursor, 1))) + "_";
  std::string problem;
  library_ = platform::load(path, problem);
  if (library_ == nullptr) {
    std::strncpy(front_.failure, problem.c_str(), sizeof front_.failure - 1);
    return answer(1);
  }
  platform::guard();
  with_functions(version, [&]<class Functions>() {
    functions_.assign(Functions::size, {});
    Functions::each([&]<std::size_t i, class R>() {
      void* function = platform::find(library_, R::name);
      if (function == nullptr) function = platform::find(library_, (prefix + R::name).c_str());
      functions_[i] = {function, Serving<R, typename R::Function>::serve};
      cursor.word() = function != nullptr ? 1 : 0;
    });
  });
  flush_log();
  answer(0);
}

void Server::call() {
  const Place outer = place_;
  place_ = {front_.engine.base, front_.engine.size};
  const Entry entry = functions_[front_.engine.function];
  told_.clear();
  if (!make_posted_calls(front_.engine.first, place_.base)) {
    place_ = outer;
    return send(Message::late);
  }
  const std::uint64_t result = entry.serve(entry.function, body(place_.base), *this);
  if (has_waiting_.load(std::memory_order_relaxed)) flush_log();
  // Results without a place in the body follow it, or wait for `fetch`.
  front_.program.extra = told_.size();
  const std::uint64_t end = place_.base + place_.size;
  if (!told_.empty() && told_.size() <= front_.engine.capacity - std::min(end, front_.engine.capacity))
    std::memcpy(body(end), told_.data(), told_.size());
  place_ = outer;
  answer(result);
}

// Makes the posted calls whose words and bodies lie there. Returns false if one fails.
bool Server::make_posted_calls(std::uint64_t first, std::uint64_t end) {
  constexpr std::uint64_t worst_success = 1;  // OK, Warning
  while (first < end) {
    const std::uint64_t word = Cursor(body(first)).word();
    const auto function = static_cast<std::uint32_t>(word);
    const Entry entry = functions_[function];
    const std::uint64_t status = entry.serve(entry.function, body(first + 8), *this);
    if (status > worst_success) {
      front_.program.function = function;
      front_.program.result = status;
      return false;
    }
    first += 8 + (word >> 32);
  }
  return true;
}

void Server::fetch() {
  std::memcpy(body(front_.engine.base), told_.data(), told_.size());
  answer(0);
}

void Server::tell(const void* data, std::size_t size) {
  const std::uint64_t word = data == nullptr ? null_count : size;
  const std::size_t at = told_.size();
  told_.resize(at + 8 + (data == nullptr ? 0 : Cursor::padded(size)));
  std::memcpy(told_.data() + at, &word, 8);
  if (data != nullptr && size > 0) std::memcpy(told_.data() + at + 8, data, size);
}

// --- callbacks -------------------------------------------------------------------------------------------------------

template <class Fill, class Read>
void Server::call_back(Message message, std::size_t size, Fill&& fill, Read&& read) {
  const std::uint64_t base = Cursor::padded(place_.base + place_.size);
  if (base + size > front_.engine.capacity) return;  // the engine leaves room for a callback behind every message
  fill(body(base));
  const Place outer = place_;
  front_.program.base = base;
  front_.program.size = size;
  place_ = {base, size};
  send(message);
  serve(true);
  read(body(base));
  place_ = outer;
}

void Server::send_log(int status, const std::string& category, const std::string& text) {
  constexpr std::size_t longest = 16384;
  const std::string shortened = text.substr(0, longest);
  call_back(
      Message::log, 8 + size_of_text(category) + size_of_text(shortened),
      [&](std::uint8_t* body) {
        Cursor cursor(body);
        cursor.word() = static_cast<std::uint64_t>(status);
        put_text(cursor, category);
        put_text(cursor, shortened);
      },
      [](std::uint8_t*) {});
}

void Server::log(int status, const char* category, const std::string& text) {
  constexpr std::size_t most_waiting = 1000;
  const std::string copied = category == nullptr ? std::string() : safe_copy(category, 256);
  if (is_called) return send_log(status, copied, text);
  while (lock_.test_and_set(std::memory_order_acquire)) platform::yield();
  if (waiting_.size() < most_waiting)
    waiting_.push_back({status, copied, text});
  else
    ++dropped_lines_;
  has_waiting_ = true;
  lock_.clear(std::memory_order_release);
}

void Server::flush_log() {
  std::vector<Line> lines;
  while (lock_.test_and_set(std::memory_order_acquire)) platform::yield();
  lines.swap(waiting_);
  const std::uint64_t dropped = std::exchange(dropped_lines_, 0);
  has_waiting_ = false;
  lock_.clear(std::memory_order_release);
  for (const auto& line : lines) send_log(line.status, line.category, line.text);
  constexpr int warning = 1;  // in all versions
  if (dropped > 0)
    send_log(warning, "Consort",
             std::to_string(dropped) + " more log lines of other threads of the FMU were dropped during this call");
  if (const auto calls = dropped_calls_.exchange(0); calls > 0)
    send_log(warning, "Consort",
             std::to_string(calls) +
                 " calls of intermediate update or clock update from other threads of the FMU were not delivered; "
                 "results may lack what they should have changed");
}

void Server::drop_call() {
  dropped_calls_.fetch_add(1);
  has_waiting_ = true;
}

void Server::update(UpdateBody& given) {
  if (!is_called) return drop_call();
  call_back(
      Message::update, sizeof given, [&](std::uint8_t* body) { std::memcpy(body, &given, sizeof given); },
      [&](std::uint8_t* body) { std::memcpy(&given, body, sizeof given); });
}

void Server::tick() {
  if (!is_called) return drop_call();
  call_back(
      Message::tick, 0, [](std::uint8_t*) {}, [](std::uint8_t*) {});
}

}  // namespace consort::fmi::foreign
