# SPDX-License-Identifier: Apache-2.0
"""`ops/test NAME`: finds the tests that a name means, builds what they need, runs them."""
