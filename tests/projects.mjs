// The projects of the tests, by what their files need, and the folders of each. A test file belongs to exactly one.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const PROJECTS = {
  /** Needs nothing but the sources: no build, no other server. */
  fast: ['tests/unit', 'tests/services'],
  /** Needs the build, which it starts. */
  product: ['tests/product'],
  /** Needs other software: Redis, sqld, gateways, other runtimes. */
  world: ['tests/world'],
  /** Needs the build and Chromium. */
  browser: ['tests/browser'],
  /** Takes long and seldom fails: only `npm run test:long` runs it. */
  long: ['tests/long'],
};

/** Names for a part of a project. */
export const PARTS = { unit: { project: 'fast', folders: ['tests/unit'] } };

/** What opens Chromium: skipped where it does not run. */
export const IN_CHROMIUM = ['tests/browser', 'tests/long/browser'];

/** What depends on Node itself: its HTTP, its streams, its terminals, its start and stop. */
export const ON_OTHER_NODES = [
  'start/stop',
  'enforcement',
  'contract/request-validation',
  'contract/streaming',
  'cli',
].map((path) => `tests/product/${path}`);

/** The pattern of the test files of a project. */
export const patternsOf = (project) => PROJECTS[project].map((folder) => `${folder}/**/*.test.ts`);

/** Returns the test files that belong to no project, or to several. */
export function findStrayFiles() {
  const folders = Object.values(PROJECTS).flat();
  return readdirSync('tests', { recursive: true })
    .map((name) => join('tests', name))
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => folders.filter((folder) => path.startsWith(`${folder}/`)).length !== 1);
}
