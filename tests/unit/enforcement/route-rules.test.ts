import { describe, expect, it } from 'vitest';
import { protectionOf } from '@/lib/enforcement/admission';
import { canonicalPath } from '@/lib/enforcement/canonical-path';
import { classify, compileRule } from '@/lib/enforcement/route-rules';

describe('the canonical path', () => {
  it.each([
    ['/api/data', '/api/data'],
    ['/api/data/', '/api/data'],
    ['//api//data', '/api/data'],
    ['/%61pi/data', '/api/data'],
    ['/%2561pi/data', '/api/data'],
    ['/api%2Fdata', '/api/data'],
    ['/api\\data', '/api/data'],
    ['/x/../api/./data', '/api/data'],
    ['/x/%2e%2e/api/data', '/api/data'],
    ['/%zz', '/%zz'],
    ['/', '/'],
  ])('%s is %s', (path, canonical) => {
    expect(canonicalPath(path)).toBe(canonical);
  });
});

describe('what is protected', () => {
  it.each([
    '/api/data',
    '/API/Data',
    '//api/data',
    '/api/data/',
    '/%61pi/x',
    '/auth/token',
    '/AUTH/token',
    '/api/auth/callback/credentials',
    '/api/auth/signin/github',
  ])('%s is decided', (path) => {
    expect(protectionOf(path, false)).toBe('protected');
  });
  it.each([
    '/',
    '/allowlist',
    '/v1/admin/policies',
    '/api/auth/session',
    '/api/auth/csrf',
    '/healthz',
    '/authors',
    '/apis',
  ])('%s is not', (path) => {
    expect(protectionOf(path, false)).toBe('own');
  });
  it.each([
    ['/anything', 'upstream'],
    ['/api/other', 'upstream'],
    ['/V1/admin', 'upstream'],
    ['/v1/admin/policies', 'own'],
    ['/api/data', 'protected'],
    ['/API/data', 'upstream'],
    ['/', 'own'],
  ])('with an upstream %s is %s', (path, expected) => {
    expect(protectionOf(path, true)).toBe(expected);
  });
});

describe('the class of a request', () => {
  it.each([
    ['GET', '/api/data', 'read'],
    ['HEAD', '/api/data', 'read'],
    ['POST', '/api/data', 'write'],
    ['OPTIONS', '/api/data', 'write'],
    ['POST', '/auth/token', 'auth'],
    ['GET', '/auth/authorize', 'auth'],
    ['POST', '/api/auth/callback/credentials', 'auth'],
    ['GET', '/elsewhere', 'read'],
  ])('%s %s is %s by default', (method, path, expected) => {
    expect(classify([], method, path)).toEqual({ class: expected, cost: 1, rule: null });
  });

  it('is that of the first rule that matches, in every spelling of the path', () => {
    const rules = [
      compileRule({ method: 'POST', path: '/api/payments/:id', class: 'sensitive', cost: 5 }),
      compileRule({ method: '*', path: '/api/payments/*', class: 'write' }),
    ];
    for (const path of ['/api/payments/7', '/API/Payments/7', '//api//payments/7/', '/api/%70ayments/7']) {
      expect(classify(rules, 'POST', path)).toEqual({ class: 'sensitive', cost: 5, rule: 0 });
    }
    expect(classify(rules, 'GET', '/api/payments/7')).toEqual({ class: 'write', cost: 1, rule: 1 });
    expect(classify(rules, 'GET', '/api/other')).toEqual({ class: 'read', cost: 1, rule: null });
  });

  it('of a HEAD request is that of the GET rule', () => {
    expect(classify([compileRule({ method: 'GET', path: '/x', class: 'sensitive' })], 'HEAD', '/x').class).toBe(
      'sensitive',
    );
  });
});
