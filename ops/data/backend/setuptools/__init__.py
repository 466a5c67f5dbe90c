# SPDX-License-Identifier: Apache-2.0
"""Stands where pip looks for setuptools, see build_meta."""
