// Outputs equal to inputs, for all types and for arrays.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <consort/model.hpp>

struct Feedthrough {
  enum class Option : std::int64_t { first = 1, second, third };
  static constexpr std::string_view option_names[] = {"first", "second", "third"};
  using Matrix = std::array<std::array<double, 3>, 2>;
  using Text = consort::model::Text<128>;
  using Bytes = consort::model::Bytes<256>;

  float float32_in = 0, float32_out = 0;
  double float64_in = 0, float64_out = 0, float64_discrete_in = 0, float64_discrete_out = 0;
  std::int8_t int8_in = 0, int8_out = 0;
  std::uint8_t uint8_in = 0, uint8_out = 0;
  std::int16_t int16_in = 0, int16_out = 0;
  std::uint16_t uint16_in = 0, uint16_out = 0;
  std::int32_t int32_in = 0, int32_out = 0;
  std::uint32_t uint32_in = 0, uint32_out = 0;
  std::int64_t int64_in = 0, int64_out = 0;
  std::uint64_t uint64_in = 0, uint64_out = 0;
  bool boolean_in = false, boolean_out = false;
  Text string_in = "as it was", string_out;
  Bytes binary_in = "foo", binary_out;
  Option enumeration_in = Option::first, enumeration_out = Option::first;
  std::array<double, 3> vector_in{1, 2, 3}, vector_out{};
  Matrix matrix_in{{{1, 2, 3}, {4, 5, 6}}}, matrix_out{};
  std::array<std::int32_t, 2> int32_vector_in{1, 2}, int32_vector_out{};
  std::array<Text, 2> string_vector_in{"one", "two"}, string_vector_out{};
  std::uint64_t n = 2;
  std::array<double, 8> sized_in{1, 2, 3, 4, 5, 6, 7, 8}, sized_out{};
  double fixed_parameter = 0, tunable_parameter = 0, sum_of_parameters = 0;
  Text string_parameter = "Set me!";

  static constexpr auto describe() {
    using M = Feedthrough;
    using namespace consort::model;
    return declare(
        {.description = "Feeds every type through", .stop_time = 2, .step = 0.1}, input<&M::float32_in>("input"),
        output<&M::float32_out>("float32_in"), input<&M::float64_in>("input"),
        output<&M::float64_out>("float64_in").depends_on<&M::float64_in>(),
        input<&M::float64_discrete_in>("input that jumps").discrete(),
        output<&M::float64_discrete_out>("float64_discrete_in").discrete(), input<&M::int8_in>("input"),
        output<&M::int8_out>("int8_in"), input<&M::uint8_in>("input"), output<&M::uint8_out>("uint8_in"),
        input<&M::int16_in>("input"), output<&M::int16_out>("int16_in"), input<&M::uint16_in>("input"),
        output<&M::uint16_out>("uint16_in"), input<&M::int32_in>("input"), output<&M::int32_out>("int32_in"),
        input<&M::uint32_in>("input"), output<&M::uint32_out>("uint32_in"), input<&M::int64_in>("input"),
        output<&M::int64_out>("int64_in"), input<&M::uint64_in>("input"), output<&M::uint64_out>("uint64_in"),
        input<&M::boolean_in>("input"), output<&M::boolean_out>("boolean_in"), input<&M::string_in>("input"),
        output<&M::string_out>("string_in"), input<&M::binary_in>("input"), output<&M::binary_out>("binary_in"),
        input<&M::enumeration_in>("input").named_values(option_names),
        output<&M::enumeration_out>("enumeration_in").named_values(option_names), input<&M::vector_in>("m", "a vector"),
        output<&M::vector_out>("m", "vector_in").depends_on<&M::vector_in>(), input<&M::matrix_in>("a matrix"),
        output<&M::matrix_out>("matrix_in").depends_on<&M::matrix_in>(),
        input<&M::int32_vector_in>("a vector of integers"), output<&M::int32_vector_out>("int32_vector_in"),
        input<&M::string_vector_in>("a vector of strings"), output<&M::string_vector_out>("string_vector_in"),
        structural_parameter<&M::n>("elements of the sized vectors").between(1, 8),
        input<&M::sized_in>("a vector of chosen size").sized_by<&M::n>(),
        output<&M::sized_out>("sized_in").sized_by<&M::n>().depends_on<&M::sized_in>(),
        parameter<&M::fixed_parameter>("fixed parameter"),
        parameter<&M::tunable_parameter>("tunable parameter").tunable(),
        calculated_parameter<&M::sum_of_parameters>("sum of both at the start"),
        parameter<&M::string_parameter>("parameter"));
  }

  void initialize() { sum_of_parameters = fixed_parameter + tunable_parameter; }
  void outputs() {
    float32_out = float32_in;
    float64_out = float64_in;
    float64_discrete_out = float64_discrete_in;
    int8_out = int8_in;
    uint8_out = uint8_in;
    int16_out = int16_in;
    uint16_out = uint16_in;
    int32_out = int32_in;
    uint32_out = uint32_in;
    int64_out = int64_in;
    uint64_out = uint64_in;
    boolean_out = boolean_in;
    string_out = string_in;
    binary_out = binary_in;
    enumeration_out = enumeration_in;
    vector_out = vector_in;
    matrix_out = matrix_in;
    int32_vector_out = int32_vector_in;
    string_vector_out = string_vector_in;
    sized_out = sized_in;
  }
};
