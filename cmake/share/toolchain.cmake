# Builds a project with snag:  cmake -DCMAKE_TOOLCHAIN_FILE=/usr/share/snag/toolchain.cmake ...
# snag-cc and snag-c++ must be on the PATH.  SNAG_CC=clang in the environment chooses clang.
set(CMAKE_C_COMPILER snag-cc)
set(CMAKE_CXX_COMPILER snag-c++)
set(CMAKE_C_FLAGS_INIT "-g")
set(CMAKE_CXX_FLAGS_INIT "-g")
