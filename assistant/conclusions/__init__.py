"""The sizing document: reasons, advice, warnings and next questions on top of a settled design."""
