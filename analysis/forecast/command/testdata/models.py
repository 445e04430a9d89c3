#!/usr/bin/env python3
"""Write the tiny ONNX files of model_test.go beside this script: forecasts of two fields.

    /usr/bin/python3 models.py

onnx 1.12. What each computes of the fields x [batch,2,H,W] stands beside it; the tests compute the same.
"""
import os

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

HERE = os.path.dirname(os.path.abspath(__file__))


def port(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))


def write(name, nodes, inputs, outputs, **constants):
    weights = [numpy_helper.from_array(np.asarray(v, np.int64 if np.asarray(v).dtype.kind == 'i' else np.float32), k) for k, v in constants.items()]
    graph = helper.make_graph(nodes, 'forecast', inputs, outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8, producer_name='models.py')
    checker.check_model(model)
    save(model, os.path.join(HERE, name + '.onnx'))


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs.split(), [output], **attributes)


fields, mean = port('fields', 'batch', 2, 'H', 'W'), port('mean', 'batch', 2, 'H', 'W')
# x/2 + 1
write('mean', [node('Mul', 'fields half', 'a'), node('Add', 'a one', 'mean')], [fields], [mean], half=0.5, one=1.)
# x, with the standard deviation |x|/4; the deviation first
write('gaussian', [node('Identity', 'fields', 'mean'), node('Abs', 'fields', 'a'), node('Mul', 'a quarter', 'sd')],
      [fields], [port('sd', 'batch', 2, 'H', 'W'), mean], quarter=0.25)
# x, with the variance 1 by its logarithm
write('logvar', [node('Identity', 'fields', 'prediction'), node('Mul', 'fields zero', 'log_var')],
      [fields], [port('prediction', 'batch', 2, 'H', 'W'), port('log_var', 'batch', 2, 'H', 'W')], zero=0.)
# x plus the first noise on the first variable, the second on the second, and 0.1 of each neighbor
write('noise', [node('Reshape', 'z places', 'n'), node('Conv', 'fields kernel', 'c', kernel_shape=[3, 3], pads=[1, 1, 1, 1]), node('Add', 'c n', 'member')],
      [port('z', 'batch', 2), fields], [port('member', 'batch', 2, 'H', 'W')], places=[-1, 2, 1, 1],
      kernel=np.eye(2).reshape(2, 2, 1, 1) * np.array([[0, .1, 0], [.1, .6, .1], [0, .1, 0]]))
# x times the lead
write('lead', [node('Reshape', 'lead_time places', 'n'), node('Mul', 'fields n', 'mean')],
      [fields, port('lead_time', 'batch', 1)], [mean], places=[-1, 1, 1, 1])
# three variables for two
write('three', [node('Concat', 'fields fields', 'a', axis=1), node('Slice', 'a from to axis', 'mean')],
      [fields], [port('mean', 'batch', 3, 'H', 'W')], **{'from': [0], 'to': [3], 'axis': [1]})
# the standard deviation −1
write('negative', [node('Identity', 'fields', 'mean'), node('Mul', 'fields zero', 'a'), node('Sub', 'a one', 'sd')],
      [fields], [mean, port('sd', 'batch', 2, 'H', 'W')], zero=0., one=1.)
# inputs that are no forecast's
write('inputs', [node('Add', 'a b', 'c'), node('Add', 'c d', 'mean')], [port(n, 'batch', 2, 'H', 'W') for n in 'abd'], [mean])
# noise of any size
write('free', [node('ReduceMean', 'noise', 'a', axes=[1], keepdims=1), node('Reshape', 'a places', 'n'), node('Add', 'fields n', 'mean')],
      [fields, port('noise', 'batch', 'size')], [mean], places=[-1, 1, 1, 1])
# three outputs
write('outputs', [node('Identity', 'fields', n) for n in 'abc'], [fields], [port(n, 'batch', 2, 'H', 'W') for n in 'abc'])
# fields of 8 × 8 alone
write('fixed', [node('Identity', 'fields', 'mean')], [port('fields', 'batch', 2, 8, 8)], [port('mean', 'batch', 2, 8, 8)])
