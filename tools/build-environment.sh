# Sourced by the scripts: lets ccache share objects between clones of this repository in different folders. It goes by
# the text of headers, not by what is left of them after preprocessing: GCC refuses a precompiled header beside headers
# that differ from those it was made of, if only in a comment. And it remembers that text by the file's inode and times,
# as a precompiled header of 365 MB takes longer to read than the object that is then found.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_INODECACHE=1
export CCACHE_SLOPPINESS=pch_defines,time_macros
export CTEST_OUTPUT_ON_FAILURE=1
