/* The host's start of a program for ESP-IDF. SPDX-License-Identifier: Apache-2.0 */
void app_main(void);

int main(void)
{
    app_main();
    return 0;
}
