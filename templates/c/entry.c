/* Apache-2.0. The function of a kernel that units call. Where the kernel is cloned for instruction sets, this one stands around it: clang 14
 * gives clones that other files see a name of its own. */
static void sample_body(const float *src, float *dst)
{
    *dst = *src;
}
#define $kernel$ sample
#define $kernel$_body sample_body
#define $params$(x) x
#define $args$(x) src, x
#define $param$ const float *src, float *dst
#define $arg$ dst
//@begin

void $kernel$($params$($param$))
{
    $kernel$_body($args$($arg$));
}
