# Sourced by the scripts: lets ccache share objects between clones of this repository in different folders.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
export CTEST_OUTPUT_ON_FAILURE=1
