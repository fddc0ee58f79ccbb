/* The targets as libFuzzer calls them; FUZZ_TARGET names the one that is meant. Half of the mutations are libFuzzer's own. */
#include "fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static const FuzzTarget *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    target = fuzz_target(getenv("FUZZ_TARGET"));
    if (!target)
        exit(2);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run(target, data, size);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return seed % 3 == 0 ? LLVMFuzzerMutate(data, size, most)
                         : target->mutate(data, size, most, seed);
}
