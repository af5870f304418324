"""m02: an autograd engine of scalars, and a network trained with it. The exercises in lesson order, and the questions.

``m02_engine`` holds those on single operations, ``m02_graph`` those on the walk over a graph of them, ``m02_torch`` those in
torch, ``m02_network`` those on neurons and layers, ``m02_training`` those on losses and loops; ``m02_stand_ins`` is what
takes the place of a student's earlier part.
"""

from ..exercise import Question
from . import m02_engine as engine
from . import m02_graph as graph
from . import m02_network as network
from . import m02_torch as in_torch
from . import m02_training as training

EXERCISES = [
    engine.value_add,
    engine.value_mul,
    graph.topo_sort,
    graph.backward,
    graph.accumulate,
    engine.value_ops,
    engine.value_tanh,
    engine.value_relu,
    engine.tanh_from_parts,
    in_torch.torch_neuron,
    in_torch.legendre_function,
    network.neuron,
    network.layer,
    network.mlp,
    training.squared_loss,
    training.train_loop,
    training.moons_loss,
    training.moons_train,
]

QUESTIONS = [
    Question(
        "m02-predict-product",
        "c = a * b + a with a = 2 and b = 3. What is the gradient of c towards a?",
        4.0,
        "a reaches c in two ways: through the product, with slope b = 3, and directly, with slope 1. The two add up.",
    ),
    Question(
        "m02-predict-twice",
        "b = a + a with a = 3. What is the gradient of b towards a?",
        2.0,
        "b is 2a: a grows by 0.001, b grows by 0.002. An engine that forgets one of the two arrows says 1.",
    ),
    Question(
        "m02-predict-count",
        "A network has 3 inputs, two layers of 4 neurons and 1 output neuron. How many weights and biases has it together?",
        41.0,
        "Each neuron has one weight per input and one bias: 4 * (3 + 1) + 4 * (4 + 1) + 1 * (4 + 1) = 16 + 20 + 5.",
    ),
    Question(
        "m02-predict-cube",
        "y = x * x * x with x = 2. What is the gradient of y towards x?",
        12.0,
        "x is used three times, and each use hands back the product of the other two: 4 + 4 + 4. The power rule says the same: 3 x^2.",
    ),
    Question(
        "m02-predict-stale",
        "A parameter's true gradient is 1 in every step, and nobody zeroes .grad. Which gradient does the third step use?",
        3.0,
        "backward() adds: 1, then 2, then 3. The steps grow longer and longer, and nothing fails: only the loss looks odd.",
    ),
    Question(
        "m02-predict-size",
        "A network has 2 inputs, two layers of 8 neurons and 1 output neuron. How many weights and biases has it together?",
        105.0,
        "8 * (2 + 1) + 8 * (8 + 1) + 1 * (8 + 1) = 24 + 72 + 9.",
    ),
]
