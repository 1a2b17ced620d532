// npm test: builds, then every check and every suite, with one sum at the end; `npm test unit types` runs some of them.
// Suites whose real part (redis-server, nginx, ...) is not on this machine are skipped loudly; with
// SLUICE_TEST_REQUIRE_ALL=1 a skipped suite is a failure.
// SLUICE_TEST_NODES: other Nodes (paths of their binaries) that run what depends on Node as well: its HTTP, its streams,
// its start and stop.
// What needs no build runs beside it. Jobs that run side by side print when they are done, a job alone as it goes.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const bin = (name) => join('node_modules', '.bin', name);
const ON_OTHER_NODES = ['start/stop', 'enforcement', 'contract/door', 'contract/streaming'];
const SUITES = ['unit', 'integration', 'api', 'browser'];
const CHECKS = {
  build: ['npm', 'run', '--silent', 'build'],
  types: [bin('tsc'), '--noEmit', '-p', '.'],
  style: [bin('biome'), 'check', '.'],
  structure: ['node', 'tests/structure.mjs'],
  'unused code': [bin('knip')],
};

const requireAll = process.env.SLUICE_TEST_REQUIRE_ALL === '1';
const otherNodes = (process.env.SLUICE_TEST_NODES ?? '').split(' ').filter((path) => path !== '');
const asked = process.argv.slice(2);
const wanted = (name) => asked.length === 0 || asked.includes(name);
const unknown = asked.filter((name) => !(name in CHECKS) && !SUITES.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. There are: ${[...Object.keys(CHECKS), ...SUITES].join(', ')}.`);
  process.exit(2);
}
const reports = mkdtempSync(join(tmpdir(), 'sluice-test-'));
const sum = { passed: 0, failed: 0, skipped: 0 };
const skippedSuites = new Set();
const failures = [];
/** A line for each test that failed, so that the end of the output says it all. */
const failedTests = [];

// The types of the build are checked too, so that waits for it; the suites that start servers run on it.
const beside = ['style', 'structure', 'unused code'].filter(wanted).map((name) => () => check(name, false));
if (wanted('unit')) beside.push(() => suite(['unit'], !wanted('build') && beside.length === 1));
const [built] = await Promise.all([
  wanted('build') ? check('build', beside.length === 0) : true,
  (async () => {
    for (const job of beside) await job();
  })(),
]);
if (wanted('types')) await check('types', true);
const served = SUITES.slice(1).filter(wanted);
if (built && served.length > 0) await suite(served, true);
if (built && wanted('api')) for (const node of otherNodes) await suite(['api'], true, node);
if (!built && served.length > 0) fail(`${served.join(', ')}: there is no build to test`);
rmSync(reports, { recursive: true, force: true });

for (const title of skippedSuites) console.log(`SKIPPED: ${title}`);
if (requireAll && skippedSuites.size > 0) failures.push('every suite must run here, and some were skipped');
for (const test of failedTests) console.error(`FAILED: ${test}`);
for (const failure of failures) console.error(`FAILED: ${failure}`);
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exit(failures.length === 0 ? 0 : 1);

function fail(what) {
  failures.push(what);
  sum.failed += 1;
}

async function check(name, alone) {
  const passed = await run(name, CHECKS[name], alone);
  if (passed) sum.passed += 1;
  else fail(name);
  return passed;
}

/** Runs suites together, so that a long file of one does not keep the others waiting; on another Node a part of them. */
async function suite(names, alone, node) {
  const version = node === undefined ? '' : ` on Node ${spawnSync(node, ['--version']).stdout}`.trimEnd();
  const file = join(reports, `${names.join('-')}${version}.json`);
  const projects = names.flatMap((name) => ['--project', name]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const title = `${names.join(', ')} tests${version}`;
  const vitest = node === undefined ? [bin('vitest')] : [node, join('node_modules', 'vitest', 'vitest.mjs')];
  const paths = node === undefined ? [] : ON_OTHER_NODES.map((path) => `tests/api/${path}`);
  const passed = await run(title, [...vitest, 'run', ...projects, ...reporters, ...paths], alone);
  const failed = count(names, file);
  if (passed) return;
  failures.push(title);
  // Something outside of any test failed.
  if (failed === 0) sum.failed += 1;
}

/** Adds a report to the sum; answers how many tests of it failed. */
function count(names, file) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    failures.push(`${names.join(', ')} left no report`);
    return 0;
  }
  const tests = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((assertion) => ({ ...assertion, file: name })),
  );
  for (const name of names) {
    if (!tests.some(({ file }) => file.includes(`/tests/${name}/`))) fail(`${name} ran no test`);
  }
  for (const { status, ancestorTitles, title, file, failureMessages = [] } of tests) {
    if (status === 'failed') {
      const why = stripVTControlCharacters(failureMessages[0] ?? '').split('\n', 1)[0];
      failedTests.push(`${relative('.', file)}: ${[...ancestorTitles, title].join(' > ')}: ${why}`);
    }
    if (status === 'passed' || status === 'failed') sum[status] += 1;
    else {
      sum.skipped += 1;
      skippedSuites.add(ancestorTitles[0] ?? title);
    }
  }
  return tests.filter(({ status }) => status === 'failed').length;
}

/** Runs a command; says whether it did well. */
async function run(name, [command, ...args], alone) {
  const start = Date.now();
  if (alone) console.log(`\n── ${name}`);
  let output = '';
  const status = await new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: alone ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: undefined, CI: process.env.CI ?? '' },
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (data) => {
        output += data;
      });
    }
    child.once('error', (error) => {
      output += error.message;
      resolve(1);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
  if (!alone) console.log(`\n── ${name}\n${output.trimEnd()}`);
  console.log(`── ${name}: ${status === 0 ? 'ok' : 'failed'} in ${((Date.now() - start) / 1000).toFixed(1)} s`);
  return status === 0;
}
