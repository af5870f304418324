import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { amount, key, level, picture, rowNames, sentence, wrongCells } from '../src/report/error_map';
import { BadReport, parseReport, type ErrorMap } from '../src/report/parse';
import { also, hasMap, headline, kinds, prose } from '../src/report/wording';

// run from labext/
const read = (name: string): unknown => JSON.parse(readFileSync(`../tests/examples/${name}.json`, 'utf-8'));
const finding = { what: 'x is wrong', group: 'g', where: '', expected: '', actual: '', mistake: '', because: '', next: '' };
const report = { schema: 1, exercise: 'm99-x', title: '', status: 'failed', groups: [] as unknown[], findings: [finding] as unknown[] };
const map = { of: 'dw', shape: [2, 3], block: [1, 1], cells: [[0, 0, 0], [0, 0.5, null]] };

test('the examples of Python are read, whole', () => {
  for (const name of ['passed', 'not-started', 'failed-named', 'failed-unnamed', 'failed-map']) {
    const json = read(`report-${name}`) as { findings: { error_map?: object | null }[] };
    const parsed = parseReport(json);
    const again = { schema: 1, ...parsed, findings: parsed.findings.map(({ map, ...rest }) => ({ ...rest, error_map: map ?? null })) };
    assert.deepEqual(again, { ...json, findings: json.findings.map(one => ({ alternatives: [], error_map: null, ...one })) }, name);
  }
});

test('headline, kinds and further findings are said as in text', () => {
  const two = parseReport({ ...report, groups: [{ name: 'a', passed: true }, { name: 'b', passed: false }] });
  assert.equal(headline(two), 'm99-x: x is wrong (1 of 2 groups pass)');
  assert.equal(headline(parseReport({ ...report, status: 'passed', findings: [] })), 'm99-x: passed');
  assert.equal(headline(parseReport({ ...report, findings: [] })), 'm99-x: did not pass');
  const either = parseReport({ ...report, findings: [{ ...finding, mistake: 'OVERWRITE', because: 'mine', alternatives: ['DDOF', 'constructor'] }] });
  assert.deepEqual(kinds(either.findings[0]), [
    { kind: 'OVERWRITE', because: 'mine' },
    { kind: 'DDOF', because: 'one place divides by N, another by N - 1' },
    { kind: 'constructor', because: '' }
  ]);
  const more = [finding, finding, { ...finding, what: 'y is wrong', group: 'h', expected: '1', actual: '2', mistake: 'DDOF', because: 'so' }, { ...finding, what: 'z' }];
  assert.deepEqual(also(parseReport({ ...report, findings: more })), ['h: y is wrong; expected 1, actual 2; DDOF: so']); // the second says nothing new, the fourth is one too many
  assert.equal(also(parseReport({ ...report, findings: [finding, either.findings[0]] }))[0], 'g: x is wrong; one of OVERWRITE, DDOF, constructor');
});

test('names in prose', () => {
  assert.deepEqual(prose('`a` is <b>, ` alone'), [
    { text: 'a', code: true },
    { text: ' is <b>, ` alone', code: false }
  ]);
});

test('a newer report says what to do, and hostile JSON is refused in one sentence', () => {
  const hostile: [unknown, RegExp][] = [
    [{ schema: 2, anything: [] }, /newer zerohero \(schema 2; this one knows 1\): update zerohero, then reload the page\.$/],
    [null, /it is not an object/],
    ['<script>', /it is not an object/],
    [[], /it is not an object/],
    [{}, /its schema is not the number 1/],
    [{ ...report, schema: '1' }, /its schema/],
    [JSON.parse('{"__proto__": {"schema": 1}}'), /its schema/],
    [{ ...report, extra: 1 }, /it is not an object with only/],
    [{ ...report, exercise: 'm01"); import os #' }, /its exercise/],
    [{ ...report, status: 'ok' }, /its status/],
    [{ ...report, groups: {} }, /it\.groups/],
    [{ ...report, groups: [{ name: 'a', passed: 'yes' }] }, /groups\[0\]\.passed/],
    [{ ...report, findings: [null] }, /findings\[0\] is not an object/],
    [{ ...report, findings: Array(2000).fill(finding) }, /it\.findings/],
    [{ ...report, findings: [{ ...finding, what: '' }] }, /findings\[0\]\.what/],
    [{ ...report, findings: [{ ...finding, next: 3 }] }, /findings\[0\]\.next/],
    [{ ...report, findings: [{ ...finding, alternatives: [''] }] }, /alternatives/],
    [withMap({ cells: [[0, 1]] }), /cells is not 2 rows of 3/],
    [withMap({ cells: [[0, 0, 0], [0, -1, 0]] }), /cells/],
    [withMap({ cells: [[0, 0, 0], [0, '1', 0]] }), /cells/],
    [withMap({ cells: [] }), /cells/],
    [withMap({ block: [1] }), /block/],
    [withMap({ block: [0, 1] }), /block/],
    [withMap({ shape: [1e9, 3], cells: [[0, 0, 0]] }), /cells/],
    [withMap({ shape: Array(500).fill(9e15), cells: [[0, 0, 0]] }), /cells/]
  ];
  for (const [json, wanted] of hostile) {
    assert.throws(() => parseReport(json), (error: unknown) => error instanceof BadReport && wanted.test(error.message) && error.message.split('\n').length === 1, JSON.stringify(json)?.slice(0, 80));
  }
});

function withMap(changed: object): unknown {
  return { ...report, findings: [{ ...finding, error_map: { ...map, ...changed } }] };
}

test('the sentence of a map is that of Python', () => {
  const examples = read('error-maps') as { says: string; map: unknown }[];
  assert.ok(examples.length > 40);
  for (const { says, map } of examples) {
    assert.equal(sentence(readMap(map)), says);
  }
});

function readMap(json: unknown): ErrorMap {
  const parsed = parseReport({ ...report, findings: [{ ...finding, error_map: json }] });
  assert.ok(parsed.findings[0].map);
  return parsed.findings[0].map;
}

test('levels are powers of ten', () => {
  const wanted: [number | null, number | null][] = [[0, 0], [null, null], [1e99, 8], [1, 8], [0.999, 6], [0.1, 6], [0.01, 4], [0.001, 3], [0.0099, 3], [1e-4, 2], [1e-5, 1], [1e-30, 1]];
  assert.deepEqual(wanted.map(([error]) => level(error)), wanted.map(([, one]) => one));
});

test('the picture of a map', () => {
  const read = readMap(map);
  const { mark, width, height } = picture(read);
  assert.deepEqual(mark.levels, [-0, -0, -0, -0, -6, null]);
  assert.deepEqual([mark.rows, mark.heads], [['[0]', '[1]'], ['column 0', 'column 1', 'column 2']]);
  assert.deepEqual(mark.values.slice(3), ['right', 'off by 50%', 'NaN or infinite']);
  assert.ok(width >= 3 * mark.width && height >= 2 * mark.height);
  assert.match(key(read), /^empty is right; struck through .*; crossed out is NaN or infinite$/);
  assert.deepEqual(wrongCells(read, 1), { rows: [['[1], column 2', 'NaN or infinite']], more: 1 });
  assert.deepEqual([amount(0.000123), amount(12.34), amount(1e99)], ['off by 0.012%', 'off by 12 times', 'off, where 0 is due throughout']);
});

test('rows of blocks, of more than two axes and of one', () => {
  assert.deepEqual(rowNames(readMap({ of: 'k', shape: [2, 5, 4], block: [2, 2], cells: Array(6).fill([0, 1]) })).slice(0, 4), ['[0, 0:2]', '[0, 2:4]', '[0, 4]', '[1, 0:2]']);
  const one = readMap({ of: 'db', shape: [3], block: [1, 1], cells: [[0, 1, 0]] });
  assert.deepEqual(wrongCells(one, 9).rows, [['db, element 1', 'off by 100%']]);
  const [single] = parseReport(withMap({ of: 'loss', shape: [], cells: [[0.5]] })).findings;
  assert.equal(hasMap(single), false);
});
