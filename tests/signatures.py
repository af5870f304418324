"""The signatures of the operations of the corpus, as an exercise on each would declare them."""

from zerohero.gradcheck.design import Array, Choice, Ids, Labels, Mask, Padding, Probability, Size, Stride, signature

SIGNATURES = {
    "broadcast": signature(x=Array("... T D"), g=Array("D"), b=Array("T 1")),
    "affine": signature(x=Array("N ..."), w=Array("(...) M"), b=Array("M")),
    "relu": signature(x=Array("...", zeros=True)),
    "sigmoid": signature(x=Array("...", huge=1000)),
    "tanh": signature(x=Array("...", huge=1000)),
    "gelu": signature(x=Array("...")),
    "softmax": signature(x=Array("... D", huge=1000)),
    "softmax_ce": signature(logits=Array("N C", huge=1000), labels=Labels("N", below="C")),
    "logsumexp": signature(x=Array("... D", huge=1000)),
    "batchnorm": signature(x=Array("N D", nearly_equal=True), gamma=Array("D"), beta=Array("D")),
    "layernorm": signature(x=Array("... D", nearly_equal=True), gamma=Array("D"), beta=Array("D")),
    "embedding": signature(w=Array("V D"), ids=Ids("N T", below="V")),
    "conv2d": signature(x=Array("N C H W"), w=Array("F C A B"), b=Array("F"), stride=Stride("A B", over="H W"), pad=Padding()),
    "maxpool": signature(x=Array("N C H W", ties=True), height=Size("A"), width=Size("B"), stride=Stride("A B", over="H W")),
    "attention": signature(q=Array("N T D", huge=30), k=Array("N S D", huge=30), v=Array("N S E")),
    "rnn_step": signature(x=Array("N D"), h=Array("N H"), wx=Array("D H"), wh=Array("H H"), b=Array("H")),
    "lstm_step": signature(x=Array("N D"), h=Array("N H"), c=Array("N H"), wx=Array("D (4 H)"), wh=Array("H (4 H)"), b=Array("(4 H)")),
    "dropout": signature(x=Array("N D", zeros=True), mask=Mask("N D"), p=Probability()),
    "mlp_bn_lm": signature(
        C=Array("V D"), w1=Array("(T D) H", scale=0.3), b1=Array("H"), gamma=Array("H"), beta=Array("H"), w2=Array("H V"), b2=Array("V"),
        X=Ids("N T", below="V"), Y=Labels("N", below="V"),
    ).at_least(N=2),
}  # fmt: skip

NEW_SIGNATURES = {
    "softplus": signature(x=Array("...", huge=1000)),
    "leaky_relu": signature(x=Array("...", zeros=True), slope=Choice([0.1, 0.2])),
    "swish": signature(x=Array("...")),
    "rmsnorm": signature(x=Array("... D", nearly_equal=True), gamma=Array("D")),
    "l2_normalise": signature(x=Array("... D")),
    "mse": signature(pred=Array("..."), target=Array("...")),
    "huber": signature(x=Array("...", scale=2.0), delta=Choice([1.0])),
    "cosine": signature(a=Array("... D"), b=Array("... D")),
    "gather": signature(x=Array("N D"), ids=Ids("N K", below="D")),
    "concat_split": signature(a=Array("... D"), b=Array("... E")),
    "cumsum": signature(x=Array("... D")),
}
