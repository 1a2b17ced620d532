import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('the routes of the admin API are the route files in app/v1/admin', () => {
  const folders = readdirSync('app/v1/admin', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('/route.ts'))
    .map((file) => file.replace('/route.ts', ''));
  const text = readFileSync('app/v1/admin/routes.ts', 'utf8');
  const files = new Map(
    [...text.matchAll(/import \* as (\w+) from '\.\/(.*)\/route';/g)].map(([, name, file]) => [name, file]),
  );
  const written = [...text.matchAll(/'\/v1\/admin\/([^']+)':\s+(\w+),/g)].map(([, path, name]) => [
    path,
    files.get(name),
  ]);
  const expected = folders.map((folder) => [folder.replaceAll(/\[(\w+)\]/g, '{$1}'), folder]);
  expect(written.toSorted()).toEqual(expected.toSorted());
});
