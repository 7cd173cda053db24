// References of stages to parameters. The addon and the WebAssembly module own parameters in
// different ways: src/parameters.cpp and wasm/module.cpp define the two functions.
#pragma once

#include <utility>

#include "src/parameter.hpp"

namespace brezel {

/** Adds a reference to a parameter. Returns nullptr for a stale handle. */
Parameter* retain_parameter(double handle);
void release_parameter(Parameter* parameter);

/** Owns one reference to a parameter. */
class ParameterReference {
 public:
  explicit ParameterReference(Parameter* held) : parameter_(held) {}
  ParameterReference(ParameterReference&& other) noexcept : parameter_(std::exchange(other.parameter_, nullptr)) {}
  ParameterReference& operator=(ParameterReference&&) = delete;
  ~ParameterReference() {
    if (parameter_) release_parameter(parameter_);
  }
  Parameter* get() const { return parameter_; }

 private:
  Parameter* parameter_;
};

}  // namespace brezel
