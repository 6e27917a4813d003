"""The tests' world: two network namespaces, one playing the host, one playing everything outside it."""
