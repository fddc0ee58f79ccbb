/* LeNet-5 (LeCun, Bottou, Bengio and Haffner, 1998), with every map of the second convolution connected
 * to every map before it, and softmax at the end. */
#include "net.h"

void lenet5(void)
{
    static const int maps[] = {6, 16};
    struct net net;
    net_begin(&net, "lenet5");
    struct value x = net_input(&net, "image", 4, (int[]){1, 1, 32, 32});
    for (int i = 0; i < 2; i++) {
        x = net_conv(&net, x, maps[i], (struct window){5, 1, 0}, 1, 1);
        x = net_unary(&net, "Tanh", x, "");
        x = net_average_pool(&net, x, (struct window){2, 2, 0});
    }
    x = net_conv(&net, x, 120, (struct window){5, 1, 0}, 1, 1);
    x = net_unary(&net, "Tanh", x, "");
    x = net_reshape(&net, x, 2, (int[]){1, 120});
    x = net_unary(&net, "Tanh", net_dense(&net, x, 84), "");
    x = net_dense(&net, x, 10);
    net_end(net_unary(&net, "Softmax", x, "{axis=1, axis_end=2}"), "probability");
}
