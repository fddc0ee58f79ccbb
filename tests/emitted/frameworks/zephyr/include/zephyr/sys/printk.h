/* A stand-in for the header of Zephyr. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#define printk printf
