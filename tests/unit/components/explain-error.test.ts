import { describe, expect, it, vi } from 'vitest';
import { CallError } from '@/components/api/call';
import { explainError } from '@/components/api/explain-error';

const failed = (status: number, rest: Partial<ConstructorParameters<typeof CallError>[0]> = {}) =>
  explainError(new CallError({ status, error: 'some_code', description: 'What the server said.', ...rest }));

describe('a failed call in words', () => {
  it('a change by someone else: nothing is lost, and what to do next', () => {
    const { title, text } = failed(412, { error: 'precondition_failed' });
    expect(title).toBe('Someone else changed this in the meantime');
    expect(text).toMatch(/Nothing was saved/);
    expect(text).toMatch(/save again/);
  });

  it('a conflict is told apart from that, in the words of the server', () => {
    expect(failed(409)).toEqual({ title: 'This conflicts with another change', text: 'What the server said.' });
  });

  it.each([
    [400, 'The request was refused'],
    [403, 'Your role does not allow this'],
    [404, 'This no longer exists'],
    [413, 'The request was refused'],
  ])('%d: what is wrong is what the server said', (status, title) => {
    expect(failed(status)).toEqual({ title, text: 'What the server said.' });
  });

  it('a second factor that is missing: what to do, where, and that one comes back', () => {
    vi.stubGlobal('window', { location: { pathname: '/keys', search: '?q=a b' } });
    const details = [{ path: 'second_factor', message: 'must be set up first' }];
    expect(failed(403, { details })).toEqual({
      title: 'Set up a second factor to continue',
      text: 'An owner requires one of everyone who signs in with a password. You come back here afterwards.',
      link: { href: '/sign-in/second-factor?callbackUrl=%2Fkeys%3Fq%3Da%20b', label: 'Set it up' },
    });
    vi.unstubAllGlobals();
  });

  it('the end of a session: sign in', () => {
    expect(failed(401).text).toBe('Sign in again to continue.');
  });

  it.each([
    [null, 'in a moment'],
    [0, 'in 0 s'],
    [1, 'in 1 s'],
    [61, 'in 2 min'],
    [7_200, 'in 2 h'],
  ])('too many requests with Retry-After %s: try again %s', (retryAfter, wait) => {
    expect(failed(429, { retryAfter }).text).toBe(`Sluice limits its own API too. Try again ${wait}.`);
    expect(failed(503, { retryAfter }).text).toBe(`What the server said. Try again ${wait}.`);
  });

  it('no answer: whether it took too long or never came', () => {
    expect(failed(0, { error: 'timeout' }).title).toBe('The server is slow');
    expect(failed(0, { error: 'unreachable' }).title).toBe('No response from the server');
  });

  it('a fault of the server names the request, if there is an id; a refusal does not', () => {
    const requestId = '0198c0de-0000-7000-8000-000000000000';
    expect(failed(500, { requestId })).toEqual({
      title: 'The server has a problem',
      text: `What the server said. Request ${requestId}.`,
    });
    expect(failed(502).text).toBe('What the server said.');
    expect(failed(400, { requestId }).text).toBe('What the server said.');
  });

  it.each([new TypeError('x is undefined'), 'a text', null, undefined])(
    'anything else is a fault of the page, and its own words are not shown: %s',
    (error) => {
      expect(explainError(error)).toEqual({
        title: 'This page has a problem',
        text: 'Reload it. Saved changes are safe.',
      });
    },
  );
});
