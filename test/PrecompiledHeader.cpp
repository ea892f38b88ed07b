// Makes a target of the precompiled header.
