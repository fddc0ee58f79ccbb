/* oneDNN: the loop that computes the epilogue of a layer. SPDX-License-Identifier: Apache-2.0 */
#define NET_KERNEL
#include <stddef.h>
#define $label$ sample
#define $params$ float *restrict dst, const float *restrict operand_1
#define $size_params$ size_t channels, size_t pixel
#define $statement$ v += operand_1[at]
#define $element$ dst[at]
//@begin
//@if flat
/* Epilogue of the layer, for pixels `from` to `to` of the block whose first pixel is `first`. */
//@else
/* Epilogue of the layer, for pixels `from` to `to` of the block whose first pixel is `first`; in dst they are `pixel` floats apart. */
//@end
NET_KERNEL static void finish_$label$($params$, $size_params$, size_t first, size_t from, size_t to)
{
//@if flat
    for (size_t i = from * channels; i < to * channels; i++) {
        const size_t at = first * channels + i;
        float v = $element$;
//@for post_ops
        $statement$;
//@end
        dst[at] = v;
    }
//@else
    for (size_t i = from; i < to; i++)
        for (size_t c = 0; c < channels; c++) {
            const size_t at = (first + i) * pixel + c;
            float v = $element$;
//@for post_ops
            $statement$;
//@end
            dst[at] = v;
        }
//@end
}
