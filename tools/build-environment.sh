# Sourced by the scripts: lets ccache share objects between clones of this repository in different folders. It goes by
# the text of headers, not by what is left of them after preprocessing: GCC refuses a precompiled header beside headers
# that differ from those it was made of, if only in a comment.
# Nor does it read a file again that it has read before: the precompiled headers are 365 MB each.
export CCACHE_INODECACHE=1
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros
export CTEST_OUTPUT_ON_FAILURE=1
