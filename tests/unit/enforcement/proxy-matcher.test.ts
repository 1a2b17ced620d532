import { expect, it } from 'vitest';
import { PROBE_PATHS } from '@/lib/http/probe-paths';
import { config } from '@/proxy';
import { isApiCall } from '@/server/api';

const reachesProxy = (path: string) => config.matcher.some((pattern) => new RegExp(`^${pattern}$`).test(path));

it.each([...PROBE_PATHS, '/v1/check', '/v1/admin/policies', '/v1/openapi.json'])(
  '%s is answered without proxy.ts',
  (path) => {
    expect([isApiCall(path), reachesProxy(path)]).toEqual([true, false]);
  },
);

it.each([
  ...PROBE_PATHS.flatMap((path) => [`${path}/`, `${path}/x`, `${path}x`, `/x${path}`]),
  '/',
  '/sign-in',
  '/v10/check',
  '/api/data',
])('%s goes through proxy.ts', (path) => {
  expect([isApiCall(path), reachesProxy(path)]).toEqual([false, true]);
});
