import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assignmentOf, ExchangeFailed, shortTime, submissionsOf, value } from '../src/submit/answer';

// the forms of nbgrader 0.9.6, nbgrader/exchange/default/list.py
const fetched = { course_id: 'cs101', assignment_id: 'm02_micrograd', status: 'fetched', notebooks: [{ path: 'm02_micrograd/m02_micrograd.ipynb' }] };
const handedIn = {
  course_id: 'cs101',
  assignment_id: 'm02_micrograd',
  status: 'submitted',
  submissions: [
    { timestamp: '2026-12-02 09:00:00.000000 UTC', has_exchange_feedback: false, has_local_feedback: false, local_feedback_path: null },
    { timestamp: '2026-12-01 10:32:07.000000 UTC', has_exchange_feedback: true, has_local_feedback: true, feedback_updated: true, local_feedback_path: 'm02_micrograd/feedback/x' }
  ]
};
const list = [null, 'x', { status: 'released' }, fetched, { ...fetched, course_id: 'other', notebooks: 'none' }, handedIn];
const what = { course: 'cs101', assignment: 'm02_micrograd' };

test('the assignment is found by the path of its notebook', () => {
  assert.deepEqual(assignmentOf(list, 'm02_micrograd/m02_micrograd.ipynb'), what);
  assert.equal(assignmentOf(list, 'elsewhere/m02_micrograd.ipynb'), undefined);
  assert.equal(assignmentOf('hostile', 'x'), undefined);
});

test('submissions come oldest first, with what is known of their feedback', () => {
  assert.deepEqual(submissionsOf(list, what), [
    { timestamp: '2026-12-01 10:32:07.000000 UTC', waiting: true, feedback: 'm02_micrograd/feedback/x' },
    { timestamp: '2026-12-02 09:00:00.000000 UTC', waiting: false, feedback: '' }
  ]);
  assert.deepEqual(submissionsOf(list, { ...what, course: 'other' }), []);
});

test('a failure is said by the last line of the traceback, without its class', () => {
  const traceback = 'Traceback (most recent call last):\n  File "x"\nnbgrader.exchange.abc.exchange.ExchangeError: Assignment not found\n';
  assert.throws(() => value({ success: false, value: traceback }), new ExchangeFailed('Assignment not found'));
  const message = 'The exchange directory does not exist and could\n   not be created. The "release" functionality\n  is not available.';
  assert.throws(() => value({ success: false, value: message }), new ExchangeFailed('The exchange directory does not exist and could    not be created.'.replace(/ +/g, ' ')));
  assert.throws(() => value('hostile'), new ExchangeFailed('nbgrader did not say why'));
  assert.deepEqual(value({ success: true, value: [1] }), [1]);
});

test('times are short', () => {
  assert.equal(shortTime('2026-12-01 10:32:07.000000 UTC'), '2026-12-01 10:32 UTC');
  assert.equal(shortTime('odd'), 'odd');
});
