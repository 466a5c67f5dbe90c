# SPDX-License-Identifier: Apache-2.0
"""Who sends jobs, and the word that all texts of each hold."""

TENANTS = {"tenant-0": "marmot", "tenant-1": "quokka", "tenant-2": "zebra"}
