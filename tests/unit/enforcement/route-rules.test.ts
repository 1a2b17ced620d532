import { describe, expect, it } from 'vitest';
import { findProtection } from '@/lib/enforcement/admission';
import { classify, compileRule } from '@/lib/enforcement/classify';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
import type { EndpointClass } from '@/lib/limiter/meter';
import { table } from '../../fixtures/table';

describe('what is protected', () => {
  table('without an upstream %s is %s', (path) => findProtection(path, false), [
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
  table('with an upstream %s is %s', (path) => findProtection(path, true), [
    ['/anything', 'upstream'],
    ['/api/other', 'upstream'],
    ['/V1/admin', 'upstream'],
    ['/v1/admin/policies', 'own'],
    ['/api/data', 'protected'],
    ['/API/data', 'upstream'],
    ['/', 'own'],
    ...[
      '//',
      '/.',
      '/x/..',
      '/healthz/',
      '/./docs',
      '/x/%2E./docs',
      '/x\\..\\v1',
      '//v1//admin',
      '/docs/%6c',
      '/v1/;x',
    ].map((path): [string, string] => [path, 'own']),
    ...[
      '//login',
      '/;a',
      '/..;/x',
      '/x/..;/docs',
      '/d%6fcs',
      '/docs;x',
      '/docs%2f',
      '/docs%3bx',
      '/v1%2fadmin',
      '/docs.',
    ].map((path): [string, string] => [path, 'upstream']),
    ['/auth/t%6fken', 'upstream'],
    ['/api/auth/callback/credentials;x', 'protected'],
  ]);
});

describe('the class of a request', () => {
  const byDefault = (name: EndpointClass): ReturnType<typeof classify> => ({ class: name, cost: 1, rule: null });
  table('%s %s is %o', (method, path) => classify([], method, path), [
    ['GET', '/api/data', byDefault('read')],
    ['HEAD', '/api/data', byDefault('read')],
    ['POST', '/api/data', byDefault('write')],
    ['OPTIONS', '/api/data', byDefault('read')],
    ['PROPFIND', '/files/', byDefault('read')],
    ['MKCOL', '/files/', byDefault('write')],
    ['POST', '/auth/token', byDefault('auth')],
    ['GET', '/auth/authorize', byDefault('auth')],
    ['POST', '/API/auth/CallBack/credentials', byDefault('auth')],
    ['POST', '/api/auth/callback%2fcredentials', byDefault('auth')],
    ['POST', '/api/auth/callback/credentials;x', byDefault('auth')],
    ['POST', '/auth/x/%2e%2e/%2e%2e/y', byDefault('auth')],
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

  it('is that of the rule that any reading matches', () => {
    const rules = [
      compileRule({ method: 'POST', path: '/users/:id/verify-otp', class: 'auth' }),
      compileRule({ method: '*', path: '/api/v4/projects/:id', class: 'sensitive', cost: 3 }),
      compileRule({ method: '*', path: '/files/*', class: 'sensitive' }),
      compileRule({ method: '*', path: '/api/admin/*', class: 'sensitive' }),
      compileRule({ method: '*', path: '/login', class: 'auth' }),
      compileRule({ method: '*', path: '/caf%c3%a9/%2b%61', class: 'auth' }),
      compileRule({ method: '*', path: '/pair%2Fof', class: 'auth' }),
    ];
    for (const [method, path, rule] of [
      ['POST', '/users/43%2f1/verify-otp', 0],
      ['POST', '/users/43%2F1/verify-otp/', 0],
      ['GET', '/api/v4/projects/group%2Fproject', 1],
      ['GET', '/api/v4/projects/group%2Fsub%2fproject', 1],
      ['GET', '/files/%2e%2e/x', 2],
      ['GET', '/files/..%2fx', 2],
      ['GET', '/files/', 2],
      ['GET', '/api/%61dmin/x%ff', 3],
      ['GET', '/api/admin/%zz%2', 3],
      ['GET', '/login;jsessionid=1', 4],
      ['GET', '/..;/login', 4],
      ['GET', '/x/..;y/%6cogin', 4],
      ['GET', '/café/+a', 5],
      ['GET', '/caf%c3%A9/%2B%61', 5],
      ['GET', '/pair%2fof', 6],
      ['GET', '/pair/of', null],
    ] as const)
      expect(classify(rules, method, path).rule, path).toBe(rule);
  });

  it('is the strictest of different readings, at the highest cost', () => {
    const rules = [
      compileRule({ method: '*', path: '/public/*', class: 'read', cost: 7 }),
      compileRule({ method: '*', path: '/admin/*', class: 'sensitive', cost: 2 }),
      compileRule({ method: '*', path: '/search', class: 'read' }),
      compileRule({ method: '*', path: '/form', class: 'write', counts: 'failures' }),
      compileRule({ method: '*', path: '/form/*', class: 'write' }),
    ];
    for (const [path, expected] of [
      ['/public/x', { class: 'read', cost: 7, rule: 0 }],
      ['/public/%2e%2e/admin/x', { class: 'sensitive', cost: 7, rule: 1 }],
      ['/admin/..%2fpublic/x', { class: 'sensitive', cost: 7, rule: 1 }],
      ['/public/..%2fauth/token', { class: 'auth', cost: 7, rule: null }],
      ['/auth/%2e%2e/search', { class: 'auth', cost: 1, rule: null }],
      ['/auth/../elsewhere', { class: 'auth', cost: 1, rule: null }],
      // The method decides only where no reading has a rule.
      ['/search/', { class: 'read', cost: 1, rule: 2 }],
      ['//search', { class: 'read', cost: 1, rule: 2 }],
      ['/form/', { class: 'write', cost: 1, rule: 4 }],
    ] as const)
      expect(classify(rules, 'POST', path), path).toEqual(expected);
  });

  it('counts every answer if any handler that the path may reach does', () => {
    const rules = [
      compileRule({ method: '*', path: '/login', class: 'auth', counts: 'failures' }),
      compileRule({ method: '*', path: '/users/:id/login', class: 'auth', counts: 'failures' }),
      compileRule({ method: '*', path: '/paid', class: 'auth', counts: 'successes' }),
      compileRule({ method: '*', path: '/files/*', class: 'read' }),
    ];
    for (const [path, expected] of [
      ['/login', 'failures'],
      ['/LOGIN/', 'failures'],
      ['/%6cogin', 'failures'],
      ['/users/a%40b.example/login', 'failures'],
      ['/users/group%2Fproject/login', 'failures'],
      // The handler of another rule, or one without a rule.
      ['/files/..%2flogin', undefined],
      ['/paid/..%2flogin', undefined],
      ['/search/..%2flogin', undefined],
      ['/search/%2e%2e/login', undefined],
      ['//search/login', undefined],
      ['/login;page', undefined],
      ['/login%3fpage', undefined],
      ['/login%23page', undefined],
    ] as const)
      expect(classify(rules, 'POST', path), path).toMatchObject({ class: 'auth', counts: expected });
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
      {
        position: 7,
        reason: 'method must be `*` or a registered HTTP method in upper case, without CONNECT and TRACE',
      },
    ]);
    expect(classify(rules, 'POST', '/api/x')).toEqual({ class: 'sensitive', cost: 3, rule: 1 });
    expect(classify(rules, 'GET', `/api/${'a'.repeat(128)}`)).toEqual({ class: 'read', cost: 1, rule: null });
  });

  it('are none where what was stored is no list', () => {
    for (const stored of [null, undefined, 'x', {}, 7])
      expect(compileRouteRules(stored)).toEqual({ rules: [], skipped: [] });
  });
});
