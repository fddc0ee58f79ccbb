/* A stand-in for the header of ESP-IDF. SPDX-License-Identifier: Apache-2.0 */
#define EXT_RAM_BSS_ATTR __attribute__((section(".ext_ram.bss")))
