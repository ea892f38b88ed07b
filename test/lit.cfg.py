import os

import lit.formats

config.name = "TensorJIT"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_dir, "test")

path = [os.path.join(config.build_dir, "bin"), config.llvm_tools_dir, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["TENSORJIT_CACHE_DIR"] = ""  # what has been compiled before is no test

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%ptxas", config.ptxas))
config.substitutions.append(("%nvrtc", config.nvrtc))
config.substitutions.append(("%root", os.path.dirname(config.test_source_root)))

# The CUDA compiler is optional: tests that need it say so and are reported as unsupported without it.
for feature in ("nvrtc", "ptxas"):
    if os.path.exists(getattr(config, feature)):
        config.available_features.add(feature)

# A CUDA program over the stand-in driver: `%cuda program ...`.
stand_in = os.path.join(config.build_dir, "cudasim")
if "nvrtc" in config.available_features and os.path.exists(os.path.join(stand_in, "libcuda.so.1")):
    config.available_features.add("cuda")
config.substitutions.append(("%cuda", f"env LD_LIBRARY_PATH={stand_in} TENSORJIT_NVRTC={config.nvrtc}"))
