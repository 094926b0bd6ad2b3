/// Streams for tests of readers: one whose reading fails after some bytes, as that of a file on a broken disk does, and one
/// that never ends.
#pragma once

#include <istream>
#include <streambuf>
#include <string>
#include <system_error>

namespace chasles::test {

class FailingStream : public std::istream {
 public:
  FailingStream(std::string text, std::size_t bytes)
      : std::istream(nullptr), buffer_(std::move(text), bytes) {
    rdbuf(&buffer_);
  }

 private:
  struct Buffer : std::streambuf {
    std::string text;
    Buffer(std::string given, std::size_t bytes) : text(std::move(given)) {
      setg(text.data(), text.data(), text.data() + std::min(bytes, text.size()));
    }
    int_type underflow() override {
      throw std::ios_base::failure("basic_filebuf::underflow error reading the file",
                                   std::make_error_code(std::errc::io_error));
    }
  } buffer_;
};

class EndlessStream : public std::istream {
 public:
  explicit EndlessStream(char c) : std::istream(nullptr), buffer_(c) { rdbuf(&buffer_); }

 private:
  struct Buffer : std::streambuf {
    std::string block;
    explicit Buffer(char c) : block(4096, c) {}
    int_type underflow() override {
      setg(block.data(), block.data(), block.data() + block.size());
      return traits_type::to_int_type(block[0]);
    }
  } buffer_;
};

}  // namespace chasles::test
