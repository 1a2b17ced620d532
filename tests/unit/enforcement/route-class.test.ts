import { expect, test } from 'vitest';
import { classifyRoute } from '@/lib/enforcement/route-class';

test.each([
  ['/v1/check', 'decision'],
  ['/v1/check/batch', 'decision'],
  ['/v1/forward-auth?proxy=nginx', 'decision'],
  ['/v1/forward-auth/envoy/any/path', 'decision'],
  ['/v1/admin/api-keys?limit=3', 'admin'],
  ['/v1/openapi.json', 'admin'],
  ['/v1/oauth/assessments', 'oauth'],
  ['/auth/token', 'oauth'],
  ['/api/data', 'oauth'],
  ['/.well-known/openid-configuration', 'oauth'],
  ['/api/auth/session', 'sign_in'],
  ['/sign-in/second-factor', 'sign_in'],
  ['/', 'console'],
  ['/settings/tokens', 'console'],
  ['/_next/static/chunks/a.js', 'static'],
  ['/readyz?strict=true', 'probe'],
  ['/metrics', 'probe'],
])('%s is of the class %s, with an upstream or without', (target, route) => {
  expect(classifyRoute(target, false)).toBe(route);
  expect(classifyRoute(target, true)).toBe(route);
});

test('what is no route of ours is the upstream’s, or other', () => {
  for (const target of ['/anything', '/%2e%2e/x', '/healthz/x', '/checkout?q=/v1/check']) {
    expect(classifyRoute(target, true)).toBe('upstream');
    expect(classifyRoute(target, false)).toBe('other');
  }
});
