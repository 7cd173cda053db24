// Fuzzes one parameter of valid stages: a dictionary, a text program, a text map or a forest. The
// first byte of an input selects the stage, the second one the parameter. BREZEL_FUZZ_STAGES is the
// folder with the stages.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/run_stage.hpp"

using namespace brezel;

static std::vector<FuzzStage> read_stages() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(std::getenv("BREZEL_FUZZ_STAGES")))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<FuzzStage> stages;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    stages.emplace_back(FuzzInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  }
  return stages;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  static const std::vector<FuzzStage> stages = read_stages();
  FuzzInput input(data, bytes);
  FuzzStage stage = stages[input.next<uint8_t>() % stages.size()];
  const size_t parameter = input.next<uint8_t>();
  if (stage.parameters.empty()) return 0;
  stage.parameters[parameter % stage.parameters.size()] = input.rest();
  run_fuzz_stage(stage);
  return 0;
}
