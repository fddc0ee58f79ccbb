/* Apache-2.0. A kernel that has nothing to compute: there are no elements. */
#define $signature$ void sample(const float *src)
#define $operand$ src
//@begin
$signature$
{
//@for operands
    (void)$operand$;
//@end
}
