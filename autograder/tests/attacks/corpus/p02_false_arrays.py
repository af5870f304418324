"""Arrays that say they have another shape, another type or other bytes than they have."""

AFTER = r"""
import base64, json, os
channel = int(os.environ["ZEROHERO_GRADING_FD"])
def b64(data): return base64.b64encode(data).decode()
one = b64(b"\0" * 8)
arrays = [dict(__array__="float64", shape=s, data=one) for s in ([2], [-1], [2**62, 4], [1] * 99, [True], [1.0], "1", None, [[1]], {"0": 1})]
arrays += [dict(__array__=t, shape=[1], data=one) for t in ("object", "O", "V8", "datetime64", "float128", "f8", "<f8", "str", "float64,float64", ["float64"], None, 3)]
arrays += [dict(__array__="float64", shape=[1], data=d) for d in ("", "A", "\u00e9", 3, None, [one], one * 3)] + [{"__array__": "float64"}]
arrays += [dict(__array__="float16", shape=[4], data=b64(b"\xff\x7f\x01\x7c\xff\xff\x00\xfc")), {"__float__": "1"}, {"__float__": []}, {"__other__": {"a": 1}}, {"__other__": "<b>" * 999}]
count = len(json.loads(json.load(open("/grading/given/cases.json"))["m01-chain-by-hand"]))
for array in arrays:
    value = dict.fromkeys("abcedf", array)
    outputs = json.dumps([{"status": "ok", "value": {"value": value, "again": value, "changed": []}}] * count)
    os.write(channel, b"\n" + json.dumps({"event": "outputs", "exercise": "m01-chain-by-hand", "outputs": outputs}).encode() + b"\n")
get_ipython().input_transformers_cleanup.append(lambda lines: ["pass\n"])
tried(len(arrays))
"""
