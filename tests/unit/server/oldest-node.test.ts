import { readFileSync } from 'node:fs';
import { minVersion, satisfies } from 'semver';
import { expect, it } from 'vitest';
import { z } from 'zod';
import packageJson from '../../../package.json';

const Engines = z.object({ engines: z.object({ node: z.string().optional() }).catch({}).default({}) });
const Lock = z.object({ packages: z.record(z.string(), Engines) });

/** `npm test` skips Knip where its parser is not installed. */
const KNIP = /^(?:knip|oxc-parser|@oxc-parser\/.*|@napi-rs\/wasm-runtime)$/;
/** States a newer Node and is bundled, so it needs none of its features. */
const BUNDLED = /^entities$/;

it('installs only packages that support the oldest Node of package.json', () => {
  const oldest = minVersion(packageJson.engines.node)?.version ?? '';
  const { packages } = Lock.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
  const unsupported = Object.entries(packages)
    .filter(([, { engines }]) => engines.node !== undefined && !satisfies(oldest, engines.node))
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(oldest).toBe('20.12.0');
  expect(unsupported.filter((name) => !KNIP.test(name) && !BUNDLED.test(name))).toEqual([]);
});
