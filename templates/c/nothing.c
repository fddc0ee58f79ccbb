/* Apache-2.0. A kernel that has nothing to compute: there are no elements. */
#define $signature$ void sample(const float *src0)
#define $operand$ src0
//@begin
$signature$
{
//@for operands
    (void)$operand$;
//@end
}
