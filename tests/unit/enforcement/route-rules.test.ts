import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { protectionOf } from '@/lib/enforcement/admission';
import { canonicalPath } from '@/lib/enforcement/canonical-path';
import { classify, compileRule, isPlain } from '@/lib/enforcement/classify';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
import type { EndpointClass } from '@/lib/limiter/meter';
import { table } from '../../fixtures/table';

describe('the canonical path', () => {
  table('%s is %s', canonicalPath, [
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
    ['/.well-known/x', '/.well-known/x'],
    ['/a/..', '/'],
    ['/', '/'],
  ]);

  it('is that of plain paths themselves', () => {
    const piece = fc.constantFrom('/', '.', '..', 'a', 'Bé', '\\', ' ', '+', '~', ';', '\n');
    const paths = fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join('')}`);
    fc.assert(fc.property(paths, (path) => !isPlain(path) || canonicalPath(path) === path));
    expect(['/api/data', '/a.b/c', '/Bé/ +~;'].map(isPlain)).toEqual([true, true, true]);
  });
});

describe('what is protected', () => {
  table('without an upstream %s is %s', (path) => protectionOf(path, false), [
    ['/api/data', 'protected'],
    ['/API/Data', 'protected'],
    ['//api/data', 'protected'],
    ['/api/data/', 'protected'],
    ['/%61pi/x', 'protected'],
    ['/auth/token', 'protected'],
    ['/AUTH/token', 'protected'],
    ['/api/auth/callback/credentials', 'protected'],
    ['/api/auth/signin/github', 'protected'],
    ['/', 'own'],
    ['/allowlist', 'own'],
    ['/v1/admin/policies', 'own'],
    ['/api/auth/session', 'own'],
    ['/api/auth/csrf', 'own'],
    ['/healthz', 'own'],
    ['/authors', 'own'],
    ['/apis', 'own'],
  ]);
  table('with an upstream %s is %s', (path) => protectionOf(path, true), [
    ['/anything', 'upstream'],
    ['/api/other', 'upstream'],
    ['/V1/admin', 'upstream'],
    ['/v1/admin/policies', 'own'],
    ['/api/data', 'protected'],
    ['/API/data', 'upstream'],
    ['/', 'own'],
  ]);
});

describe('the class of a request', () => {
  const byDefault = (name: EndpointClass): ReturnType<typeof classify> => ({ class: name, cost: 1, rule: null });
  table('%s %s is %o', (method, path) => classify([], method, path), [
    ['GET', '/api/data', byDefault('read')],
    ['HEAD', '/api/data', byDefault('read')],
    ['POST', '/api/data', byDefault('write')],
    ['OPTIONS', '/api/data', byDefault('write')],
    ['POST', '/auth/token', byDefault('auth')],
    ['GET', '/auth/authorize', byDefault('auth')],
    ['POST', '/API/auth/CallBack/credentials', byDefault('auth')],
    ['GET', '/Auth', byDefault('auth')],
    ['GET', '/x/auth', byDefault('read')],
    ['GET', '/authors', byDefault('read')],
    ['POST', '/x/api/auth/signin/github', byDefault('write')],
    ['POST', '/api/auth/signin/github/x', byDefault('write')],
    ['POST', '/api/auth/callback/credentials', byDefault('auth')],
    ['POST', '/api/auth/callback/invitation', byDefault('auth')],
    ['POST', '/api/auth/signin/nobody', byDefault('auth')],
    ['POST', '/api/auth/SignIn/oidc', byDefault('write')],
    ['GET', '/api/auth/callback/oidc', byDefault('read')],
    ['GET', '/api/auth/callback/github', byDefault('read')],
    ['GET', '/elsewhere', byDefault('read')],
  ]);

  it('is `lab` for the endpoints of the lab and nothing else, when a member is signed in', () => {
    const rules = [compileRule({ method: '*', path: '/auth/par', class: 'sensitive' })];
    for (const [path, expected] of [
      ['/auth/token', 'lab'],
      ['/AUTH//authorize/', 'lab'],
      ['/api/data', 'lab'],
      ['/api/data/x', 'read'],
      ['/api/auth/callback/credentials', 'auth'],
      ['/auth/par', 'sensitive'],
    ] as const)
      expect(classify(rules, 'GET', path, true).class, path).toBe(expected);
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

  it('follows rules of the method alone, and of every method', () => {
    const rules = [
      compileRule({ method: 'HEAD', path: '/x', class: 'sensitive' }),
      compileRule({ method: 'PUT', path: '*', class: 'auth' }),
    ];
    expect(classify(rules, 'HEAD', '/x').class).toBe('sensitive');
    expect(classify(rules, 'GET', '/x').class).toBe('read');
    expect(classify(rules, 'PUT', '/x').class).toBe('auth');
    const get = [compileRule({ method: 'GET', path: '/x', class: 'sensitive' })];
    expect(classify(get, 'POST', '/x').class).toBe('write');
    expect(classify([compileRule({ method: 'POST', path: '/x', class: 'sensitive' })], 'HEAD', '/x').class).toBe(
      'read',
    );
  });

  it('of a HEAD request is that of the GET rule', () => {
    expect(classify([compileRule({ method: 'GET', path: '/x', class: 'sensitive' })], 'HEAD', '/x').class).toBe(
      'sensitive',
    );
  });
});

describe('rules that were stored', () => {
  const rule = { method: '*', path: '/api/*', class: 'sensitive' } as const;
  const group = '/api/(.*.*.*.*.*.*.*.*.*)x';

  it('are skipped where they are none today, each with its position and the reason, and keep their places', () => {
    const { rules, skipped } = compileRouteRules([
      { ...rule, path: group },
      { ...rule, method: 'POST', cost: 3 },
      { ...rule, path: '/:id?' },
      { ...rule, class: 'none' },
      null,
      { ...rule, extra: true },
      { ...rule, path: '/x', method: 'get', class: 'none' },
    ]);
    expect(skipped).toEqual([
      { position: 1, reason: 'path must not have a group: `(` at character 6' },
      { position: 3, reason: 'path must not have `?` at character 5' },
      { position: 4, reason: 'class must be one of auth, sensitive, read, write, lab' },
      { position: 5, reason: 'must be an object' },
      { position: 6, reason: 'has a member that is not known' },
      { position: 7, reason: 'method must be one of *, GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
    ]);
    expect(classify(rules, 'POST', '/api/x')).toEqual({ class: 'sensitive', cost: 3, rule: 1 });
    expect(classify(rules, 'GET', `/api/${'a'.repeat(128)}`)).toEqual({ class: 'read', cost: 1, rule: null });
  });

  it('are none where what was stored is no list', () => {
    for (const stored of [null, undefined, 'x', {}, 7])
      expect(compileRouteRules(stored)).toEqual({ rules: [], skipped: [] });
  });
});
