import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isOwnRoute } from '@/lib/enforcement/own-routes';

/** Answers to what is nothing of ours, where there is no upstream that it could belong to. */
const OF_THE_UPSTREAM = new Set(['/api/x', '/auth/x']);

const routes = readdirSync('app', { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && ['route.ts', 'page.tsx'].includes(entry.name))
  .map((entry) => relative('app', join(entry.parentPath, '.')).split('/'))
  .map((segments) => segments.filter((segment) => segment !== '' && segment !== '.' && !segment.startsWith('(')))
  .map((segments) => `/${segments.map((segment) => (segment.startsWith('[') ? 'x' : segment)).join('/')}`)
  .filter((path) => !OF_THE_UPSTREAM.has(path));

describe('every route of the product is its own, also where there is an upstream', () => {
  it.each([...new Set(routes)])('%s', (path) => {
    expect(isOwnRoute(path)).toBe(true);
  });

  it.each(['/icon.svg', '/favicon.ico', '/_next/static/x.js'])('and %s', (path) => {
    expect(isOwnRoute(path)).toBe(true);
  });

  it.each(['/shop', '/api/orders', '/auth/login', '/v1x', '/keysmith'])('and %s is the upstream’s', (path) => {
    expect(isOwnRoute(path)).toBe(false);
  });
});
