import { describe, expect, it } from 'vitest';
import { isOwnRoute } from '@/lib/enforcement/own-routes';
import { routesOnDisk } from '../../fixtures/routes-on-disk';

/** Answers to what is nothing of ours, where there is no upstream that it could belong to. */
const OF_THE_UPSTREAM = new Set(['/.well-known/x', '/api/x', '/auth/x']);

const routes = routesOnDisk('route.ts', 'page.tsx').filter((path) => !OF_THE_UPSTREAM.has(path));

describe('every route of the product is its own, also where there is an upstream', () => {
  it.each(routes)('%s', (path) => {
    expect(isOwnRoute(path)).toBe(true);
  });

  it.each(['/icon.svg', '/favicon.ico', '/_next/static/x.js'])('and %s', (path) => {
    expect(isOwnRoute(path)).toBe(true);
  });

  it.each(['/shop', '/api/orders', '/auth/login', '/v1x', '/keysmith'])('and %s is the upstream’s', (path) => {
    expect(isOwnRoute(path)).toBe(false);
  });
});
