/* Apache-2.0. A kernel with the comment above it. Where it is cloned for instruction sets, units call a function around it: clang 14
 * gives clones that other files see a name of its own. */
static void sample_body(const float *src0, float *dst0)
{
    *dst0 = *src0;
}
#define $functions$
#define $kernel$ sample
#define $kernel$_body sample_body
#define $params$(x) x
#define $args$(x) src0, x
#define $param$ const float *src0, float *dst0
#define $arg$ dst0
//@begin

/*
//@for about
 * $line$
//@end
//@if more
 * The same for $more$.
//@end
 */
$functions$
//@if has_entry

void $kernel$($params$($param$))
{
    $kernel$_body($args$($arg$));
}
//@end
