// npm test: builds, then every check and every suite, with one sum at the end. Suites whose real part (redis-server,
// nginx, ...) is not on this machine are skipped loudly; with SLUICE_TEST_REQUIRE_ALL=1 a skipped suite is a failure.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bin = (name) => join('node_modules', '.bin', name);
const requireAll = process.env.SLUICE_TEST_REQUIRE_ALL === '1';
const only = process.argv.slice(2);
const reports = mkdtempSync(join(tmpdir(), 'sluice-test-'));
const sum = { passed: 0, failed: 0, skipped: 0 };
const skippedSuites = [];
const failures = [];

const checks = [
  ['build', bin('next'), ['build']],
  ['types', bin('tsc'), ['--noEmit', '-p', '.']],
  ['style', bin('biome'), ['check', '.']],
  [
    'structure',
    bin('depcruise'),
    ['--config', '.dependency-cruiser.cjs', 'app', 'components', 'lib', 'proxy.ts', 'instrumentation.ts'],
  ],
  ['unused code', bin('knip'), []],
];
const suites = ['unit', 'integration', 'api', 'browser'];

for (const [name, command, args] of checks) {
  if (only.length > 0 && !only.includes(name)) continue;
  if (run(name, command, args)) sum.passed += 1;
  else sum.failed += 1;
}
for (const suite of suites) {
  if (only.length > 0 && !only.includes(suite)) continue;
  const file = join(reports, `${suite}.json`);
  const parallel = suite === 'unit' ? [] : ['--no-file-parallelism'];
  const passed = run(`${suite} tests`, bin('vitest'), [
    'run',
    '--project',
    suite,
    ...parallel,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ]);
  count(suite, file, passed);
}
rmSync(reports, { recursive: true, force: true });

for (const title of skippedSuites) console.log(`SKIPPED: ${title}`);
if (requireAll && skippedSuites.length > 0) failures.push('every suite must run here, and some were skipped');
for (const failure of failures) console.error(`FAILED: ${failure}`);
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exit(failures.length === 0 ? 0 : 1);

function run(name, command, args) {
  const start = Date.now();
  console.log(`\n── ${name}`);
  const { status } = spawnSync(command, args, {
    stdio: 'inherit',
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: undefined, CI: process.env.CI ?? '' },
  });
  console.log(`── ${name}: ${status === 0 ? 'ok' : 'failed'} in ${((Date.now() - start) / 1000).toFixed(1)} s`);
  if (status !== 0) failures.push(name);
  return status === 0;
}

function count(suite, file, passed) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    if (passed) failures.push(`${suite} left no report`);
    return;
  }
  sum.passed += report.numPassedTests;
  sum.failed += report.numFailedTests;
  sum.skipped += report.numPendingTests + (report.numTodoTests ?? 0);
  if (report.numTotalTests === 0) failures.push(`${suite} ran no test`);
  for (const { assertionResults } of report.testResults) {
    for (const one of assertionResults) {
      if (one.status === 'passed' || one.status === 'failed') continue;
      const title = one.ancestorTitles[0] ?? one.title;
      if (!skippedSuites.includes(title)) skippedSuites.push(title);
    }
  }
}
