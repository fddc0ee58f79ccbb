/* A stand-in for what ESP-IDF makes of Kconfig files: EXTERNAL chooses external RAM. SPDX-License-Identifier: Apache-2.0 */
#ifdef EXTERNAL
#define CONFIG_DIGITS_WORKSPACE_IN_PSRAM 1
#endif
