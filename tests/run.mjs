// npm test: builds, then every check and every project, with one sum at the end.
// Suites whose real part (redis-server, nginx, ...) is not on this machine are skipped, and reported; with
// SLUICE_TEST_REQUIRE_ALL=1 a skipped suite is a failure.
// SLUICE_TEST_NODES: other Nodes (paths of their binaries). The long runs try there what depends on Node: its HTTP, its
// streams, its terminals, its start and stop.
// What needs no build runs beside it. Jobs that run side by side print when they are done, a job alone as it goes.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { load } from '../server/load.mjs';
import { readArguments, rejectArguments } from '../server/read-arguments.mjs';
import { findStrayFiles, IN_CHROMIUM, ON_OTHER_NODES, PARTS, PROJECTS } from './projects.mjs';

const SLOWEST = 20;
const bin = (name) => join('node_modules', '.bin', name);
/** The oldest Node requires no ES modules, so a build must not need that. */
const AS_OLDEST = '--no-experimental-require-module';
const asOldest = process.allowedNodeEnvironmentFlags.has(AS_OLDEST) ? [`--node-options=${AS_OLDEST}`] : [];
const CHECKS = {
  build: ['npm', 'run', '--silent', ...asOldest, 'build'],
  types: [bin('tsc'), '--noEmit', '-p', '.'],
  style: ['node', 'tests/style.mjs'],
  structure: ['node', 'tests/structure.mjs'],
  'unused code': [bin('knip')],
};

const requireAll = process.env.SLUICE_TEST_REQUIRE_ALL === '1';
const otherNodes = (process.env.SLUICE_TEST_NODES ?? '').split(' ').filter((path) => path !== '');
const names = [...Object.keys(CHECKS), ...Object.keys(PROJECTS), ...Object.keys(PARTS)];
const { positionals: asked } = readArguments({
  usage: 'npm test -- [NAME...]',
  summary:
    'Runs every check and every test, or those that are named. `related [BASE]` runs the tests that the changes since BASE affect (main, if omitted).',
  positionals: ['NAME', `One of ${names.join(', ')}.`],
});
const isRelated = asked[0] === 'related';
const changedSince = isRelated ? (asked[1] ?? mergeBase()) : undefined;
const unknown = isRelated
  ? asked.slice(2)
  : asked.filter((name) => ![CHECKS, PROJECTS, PARTS].some((names) => Object.hasOwn(names, name)));
if (unknown.length > 0)
  rejectArguments(`Unknown: ${unknown.join(', ')}. There are: ${[...names, 'related'].join(', ')}.`);
// In the long runs, properties of the fast files try more cases, dialogs are shown in every look, and the fuzz test takes a
// random seed too.
const askedLong = asked.includes('long') ? ['build', 'fast', 'product', 'browser'] : [];
if (askedLong.length > 0) process.env.SLUICE_TEST_LONG = '1';
const isLong = process.env.SLUICE_TEST_LONG === '1';
const wanted = (name) => asked.length === 0 || isRelated || [...asked, ...askedLong].includes(name);

const reports = mkdtempSync(join(tmpdir(), 'sluice-test-'));
const sum = { passed: 0, failed: 0, skipped: 0 };
const skippedSuites = new Set();
/** Where the tests write which suite they skip, and which program is missing. */
const skipReasons = join(reports, 'skipped');
writeFileSync(skipReasons, '');
const failures = [];
/** A line for each test that failed, so that the end of the output says it all. */
const failedTests = [];
/** Options that leave out files whose real part is missing. */
const excluded = [];
/** Each test file with its seconds. */
const durations = [];

for (const path of findStrayFiles()) fail(`${path} belongs to no project, or to several (tests/projects.mjs)`);

// The types of the build are checked too, so that waits for it; the projects that start servers run on it.
let served = ['product', 'world', 'browser', 'long'].filter((name) => wanted(name) && (name !== 'long' || isLong));
const checks = ['style', 'structure', 'unused code'].filter(wanted);
if (checks.includes('unused code') && !runsKnip()) {
  checks.pop();
  appendFileSync(skipReasons, 'unused code: Knip needs Node 20.19, 22.12 or later\n');
  sum.skipped += 1;
}
const beside = checks.map((name) => () => check(name, false));
const part = Object.keys(PARTS).find((name) => asked.includes(name));
if (wanted('fast')) beside.push(() => suite(['fast'], { isAlone: !wanted('build') && beside.length === 1 }));
else if (part !== undefined)
  beside.push(() => suite([PARTS[part].project], { isAlone: beside.length === 1, paths: PARTS[part].folders }));
const needsBuild = isRelated ? listChanged(served).length > 0 : wanted('build');
const { readBuildState } = await load('build');
const isStale = !isRelated || readBuildState(process.cwd()) !== 'current';
const [built] = await Promise.all([
  needsBuild && isStale ? check('build', beside.length === 0) : true,
  (async () => {
    for (const job of beside) await job();
  })(),
]);
if (wanted('types')) await check('types', true);
if (built && ['browser', 'long'].some((name) => served.includes(name)) && !(await runsChromium())) {
  appendFileSync(skipReasons, 'browser: Chromium does not run on this machine\n');
  sum.skipped += 1;
  excluded.push(...IN_CHROMIUM.map((folder) => `--exclude=${folder}/**`));
  served = served.filter((name) => name !== 'browser');
}
if (built && served.length > 0 && (needsBuild || !isRelated)) await suite(served, { isAlone: true });
if (built && isLong && served.includes('long'))
  for (const node of otherNodes) await suite(['product'], { isAlone: true, node, paths: ON_OTHER_NODES });
if (!built && served.length > 0) fail(`${served.join(', ')}: there is no build to test`);
const reasons = new Set(readFileSync(skipReasons, 'utf8').split('\n').filter(Boolean).sort());
rmSync(reports, { recursive: true, force: true });

if (durations.length > 0) {
  durations.sort((a, b) => b.seconds - a.seconds);
  console.log(`\nThe slowest of ${durations.length} test files, in seconds:`);
  for (const { seconds, file } of durations.slice(0, SLOWEST))
    console.log(`${seconds.toFixed(1).padStart(7)}  ${file}`);
}
for (const skipped of reasons.size > 0 && !requireAll ? reasons : new Set([...reasons, ...skippedSuites]))
  console.log(`SKIPPED: ${skipped}`);
if (requireAll && reasons.size + skippedSuites.size > 0)
  failures.push('every suite must run here, and some were skipped');
for (const test of failedTests) console.error(`FAILED: ${test}`);
for (const failure of failures) console.error(`FAILED: ${failure}`);
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exit(failures.length === 0 ? 0 : 1);

function fail(what) {
  failures.push(what);
  sum.failed += 1;
}

/** Returns the commit at which this branch left main, or the last commit where there is no main. */
function mergeBase() {
  const { status, stdout } = spawnSync('git', ['merge-base', 'main', 'HEAD'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'HEAD';
}

/** Returns the test files of projects that import what has changed. */
function listChanged(names) {
  const projects = names.flatMap((name) => ['--project', name]);
  const args = ['list', '--filesOnly', `--changed=${changedSince}`, ...projects];
  const { stdout } = spawnSync(bin('vitest'), args, { encoding: 'utf8', env: environment() });
  return stdout.split('\n').filter((line) => line.includes('.test.ts'));
}

/** Returns whether Knip runs on this Node. Its parser is not installed on others. */
function runsKnip() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);
}

/** Returns true if the Chromium of the tests starts: its libraries are not on every machine. */
async function runsChromium() {
  const { default: chromium } = await import('@sparticuz/chromium');
  const path = process.env.SLUICE_TEST_CHROMIUM ?? (await chromium.executablePath().catch(() => 'chromium'));
  return spawnSync(path, ['--version']).status === 0;
}

async function check(name, isAlone) {
  const passed = await run(name, CHECKS[name], isAlone);
  if (passed) sum.passed += 1;
  else fail(name);
  return passed;
}

/**
 * Runs projects together, so that a long file of one does not keep the others waiting.
 * @param options `node`: another Node that runs them; `paths`: runs these files and folders of them alone
 */
async function suite(names, { isAlone, node, paths = [] }) {
  const version = node === undefined ? '' : ` on Node ${spawnSync(node, ['--version']).stdout}`.trimEnd();
  const file = join(reports, `${names.join('-')}${version}.json`);
  const projects = names.flatMap((name) => ['--project', name]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const title = `${names.join(', ')} tests${version}`;
  const vitest = node === undefined ? [bin('vitest')] : [node, join('node_modules', 'vitest', 'vitest.mjs')];
  const changed = isRelated ? [`--changed=${changedSince}`, '--passWithNoTests'] : [];
  const passed = await run(
    title,
    [...vitest, 'run', ...projects, ...reporters, ...changed, ...excluded, ...paths],
    isAlone,
  );
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
  for (const { name, startTime, endTime } of report.testResults)
    durations.push({ file: relative('.', name), seconds: Math.max(0, endTime - startTime) / 1_000 });
  const tests = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((assertion) => ({ ...assertion, file: relative('.', name) })),
  );
  for (const name of isRelated ? [] : names) {
    const isOwn = ({ file }) => PROJECTS[name].some((folder) => file.startsWith(`${folder}/`));
    if (!tests.some(isOwn)) fail(`${name} ran no test`);
  }
  for (const { status, ancestorTitles, title, file, failureMessages = [] } of tests) {
    if (status === 'failed') {
      const [first, ...more] = stripVTControlCharacters(failureMessages[0] ?? '').split('\n');
      // Playwright says below its first line what it waited for.
      const awaited = more.find((line) => line.includes('waiting for'))?.trim() ?? '';
      const why = [first, awaited].join(' ').trim();
      failedTests.push(`${file}: ${[...ancestorTitles, title].join(' > ')}: ${why}`);
    }
    if (status === 'passed' || status === 'failed') sum[status] += 1;
    else {
      sum.skipped += 1;
      skippedSuites.add(ancestorTitles[0] ?? title);
    }
  }
  return tests.filter(({ status }) => status === 'failed').length;
}

function environment() {
  const ours = { NEXT_TELEMETRY_DISABLED: '1', SLUICE_TEST_SKIPPED: skipReasons, CI: process.env.CI ?? '' };
  return { ...process.env, ...ours, NODE_ENV: undefined };
}

/** Runs a command; says whether it did well. */
async function run(name, [command, ...args], isAlone) {
  const start = Date.now();
  if (isAlone) console.log(`\n── ${name}`);
  let output = '';
  const status = await new Promise((resolve) => {
    const stdio = isAlone ? 'inherit' : ['ignore', 'pipe', 'pipe'];
    const child = spawn(command, args, { stdio, env: environment() });
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
  if (!isAlone) console.log(`\n── ${name}\n${output.trimEnd()}`);
  console.log(`── ${name}: ${status === 0 ? 'ok' : 'failed'} in ${((Date.now() - start) / 1000).toFixed(1)} s`);
  return status === 0;
}
