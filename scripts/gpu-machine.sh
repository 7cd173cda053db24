#!/bin/sh
# Prepares a Debian machine with an NVIDIA GPU, and measures stages that run on the GPU. Run it as
# root, in the repository, after `npm ci && npm run build`.
#   sh scripts/gpu-machine.sh           measures webgpu, through Vulkan
#   sh scripts/gpu-machine.sh --cuda    measures cuda too: onnxruntime-node downloads its CUDA files;
#                                       CUDA 12 and cuDNN 9 must be installed
set -e
icd=/etc/vulkan/icd.d/nvidia_icd.json

if ! ldconfig -p | grep -q libvulkan.so.1; then
  apt-get update
  apt-get install --yes --no-install-recommends libvulkan1
fi

# Containers have the library of the driver, but not the file that registers it with Vulkan.
if ! ls /etc/vulkan/icd.d/*nvidia* /usr/share/vulkan/icd.d/*nvidia* >/dev/null 2>&1; then
  if ldconfig -p | grep -q libGLX_nvidia.so.0; then
    mkdir -p "$(dirname "$icd")"
    echo '{ "file_format_version": "1.0.0", "ICD": { "library_path": "libGLX_nvidia.so.0", "api_version": "1.3" } }' >"$icd"
  else
    echo 'libGLX_nvidia.so.0 is not there: the driver lacks its graphics half (in a container: NVIDIA_DRIVER_CAPABILITIES=all)' >&2
  fi
fi

if [ "$1" = --cuda ]; then
  ONNXRUNTIME_NODE_INSTALL=cuda12 npm rebuild onnxruntime-node --ignore-scripts=false --foreground-scripts
fi

node packages/brezel/bin/brezel.js doctor
exec npm run bench -- lowering --out benchmarks/results/lowering.jsonl
