/* oneDNN: the loop that computes the epilogue of a layer. SPDX-License-Identifier: Apache-2.0 */
#define NET_KERNEL
#include <stddef.h>
#define $label$ sample
#define $operands$(...) __VA_ARGS__
#define $operand$ operand_1
#define $statement$ v += operand_1[at]
#define $whole$ pixel == channels ? to - from : 1
#define $element$ dst[at]
//@begin
/* Epilogue of the layer, for pixels `from` to `to` of the block whose first pixel is `first`; in dst they are `pixel` floats apart. */
NET_KERNEL static void finish_$label$($operands$(const float *restrict $operand$, )float *restrict dst, size_t channels, size_t pixel, size_t first, size_t from, size_t to)
{
    const size_t whole = $whole$; /* pixels at once */
    for (size_t i = from; i < to; i += whole)
        for (size_t c = 0; c < whole * channels; c++) {
            const size_t at = (first + i) * pixel + c;
            float v = $element$;
//@for post_ops
            $statement$;
//@end
            dst[at] = v;
        }
}
