#!/bin/sh
# Makes a Debian machine with an NVIDIA GPU ready, and measures lowered stages on it. Run it as root, in the repository, after `npm ci && npm run build`.
#   sh scripts/gpu-machine.sh           webgpu, through Vulkan
#   sh scripts/gpu-machine.sh --cuda    cuda as well: onnxruntime-node fetches its CUDA files; CUDA 12 and cuDNN 9 must be there
set -e
icd=/etc/vulkan/icd.d/nvidia_icd.json

if ! ldconfig -p | grep -q libvulkan.so.1; then
  apt-get update
  apt-get install --yes --no-install-recommends libvulkan1
fi

# Containers have the driver's library and not the file that tells Vulkan of it.
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
