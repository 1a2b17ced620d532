// Changes the core one operator at a time, and runs the unit tests to see whether they notice.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { readArguments } from '../../server/read-arguments.mjs';
import { instrument } from './instrument.mjs';

/** What is changed, with the suites that answer for it; a mutant that none of them runs is uncovered. Redis is a real one. */
const CORE = {
  'lib/counters': [
    'tests/unit/counters',
    ...['connection', 'revision', 'store'].map((name) => `tests/world/redis/${name}.test.ts`),
  ],
  'lib/enforcement': ['tests/unit/enforcement'],
  'lib/http/path-pattern.ts': ['tests/unit/http/path-pattern.test.ts'],
  'lib/limiter': ['tests/unit/limiter'],
};
const WORKERS = 2;
/** A process that says nothing for so long has a mutant that never ends. */
const SILENCE_MS = 300_000;
/** A process that holds so much has a mutant that never stops collecting; where /proc tells. */
const MEMORY_BYTES = 2 * 1024 ** 3;
const PAGE_BYTES = 4_096;

const { values, positionals: targets } = readArguments({
  usage: 'npm run mutation -- [PATH...]',
  summary: 'Reports changes of the source that no test notices, file by file. Writes all of them to tmp/mutation.json.',
  positionals: ['PATH', `A folder or file of lib. Without any: ${Object.keys(CORE).join(', ')}.`],
  options: { tests: { type: 'string', value: 'PATH,...', description: 'The tests to run.' } },
});
const suites = values.tests?.split(',') ?? Object.values(CORE).flat();
const scratch = mkdtempSync(join(tmpdir(), 'sluice-mutation-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const sources = (targets.length > 0 ? targets : Object.keys(CORE)).flatMap((path) => filesOf(path, '.ts'));
const tests = suites.flatMap((path) => filesOf(path, '.test.ts'));
/** Where each source is with its mutants in it: what is edited meanwhile does not count. */
const instrumented = {};
const mutants = new Map();
for (const file of sources) {
  const { code, mutants: found } = instrument(readFileSync(file, 'utf8'), mutants.size + 1);
  for (const mutant of found) mutants.set(mutant.id, { ...mutant, file, status: 'uncovered', by: null, static: false });
  instrumented[resolve(file)] = join(scratch, `${Object.keys(instrumented).length}.ts`);
  writeFileSync(instrumented[resolve(file)], code);
}
console.log(`${mutants.size} mutants in ${sources.length} files, ${tests.length} test files`);

const costs = await cover();
await inParallel((worker) =>
  [...costs]
    .sort((a, b) => a[1] - b[1])
    .map(
      ([test]) =>
        () =>
          mutate(test, worker),
    ),
);
await inParallel((worker) =>
  [...mutants.values()]
    .filter((mutant) => mutant.status === 'survived' && mutant.static && mutant.id % WORKERS === worker)
    .map((mutant) => () => load(mutant)),
);
report();

/** Runs every test file as it is: what does each cover, and how long does it take? */
async function cover() {
  const found = new Map();
  let next = 0;
  await inParallel(() => [
    async () => {
      while (next < tests.length) {
        const test = tests[next];
        next += 1;
        const start = performance.now();
        const entries = await run({ kind: 'cover', tests: [test], active: null, mutants: [] });
        found.set(test, performance.now() - start);
        for (const entry of entries) {
          if (entry.kind === 'broken')
            console.log(`left out, it fails without any mutant: ${entry.test}: ${entry.error}`);
          if (entry.kind !== 'covered' && entry.kind !== 'static') continue;
          for (const id of entry.mutants) {
            const mutant = mutants.get(id);
            mutant.status = 'survived';
            mutant.coveredBy = (mutant.coveredBy ?? new Set()).add(test);
            if (entry.kind === 'static') mutant.static = true;
          }
        }
      }
    },
  ]);
  return found;
}

/** Runs one test file with each of a worker's mutants that it covers and that are alive. */
async function mutate(test, worker) {
  let strict = false;
  for (;;) {
    const ids = [...mutants.values()]
      .filter((mutant) => mutant.status === 'survived' && mutant.coveredBy.has(test) && mutant.id % WORKERS === worker)
      .map((mutant) => mutant.id);
    if (ids.length === 0) return;
    progress(`${test}: ${ids.length}`);
    const entries = await run({ kind: 'mutate', tests: [test], active: null, mutants: ids, strict });
    let trying = null;
    let doubted = false;
    for (const entry of entries) {
      if (entry.kind === 'killed') kill(entry.mutant, 'killed', entry.by);
      if (entry.kind === 'try') trying = entry.mutant;
      if (entry.kind === 'tried') trying = null;
      if (entry.kind === 'doubted') doubted = true;
      // One at a time, and the test passed right before: it is this mutant that has left something behind.
      if (entry.kind === 'doubted' && strict) kill(entry.mutants[0], 'killed', entry.test);
    }
    // Where a kill cannot be told from what an earlier one has left behind, each is checked by itself.
    if (doubted) strict = true;
    else if (trying !== null) kill(trying, 'ended the process', test);
    else return;
  }
}

/** Mutants of what modules do when they are loaded: a process for each. */
async function load(mutant) {
  progress(`${mutant.file}:${mutant.line}`);
  // The suite of the same name first: it is the most likely to notice.
  const own = (test) => Number(!test.includes(`/${basename(mutant.file, '.ts')}`));
  for (const test of [...mutant.coveredBy].sort((a, b) => own(a) - own(b) || costs.get(a) - costs.get(b))) {
    const entries = await run({ kind: 'mutate', tests: [test], active: mutant.id, mutants: [] });
    const killed = entries.find(
      (entry) => entry.kind === 'killed' || entry.kind === 'silent' || entry.kind === 'failed',
    );
    if (killed) return kill(mutant.id, 'killed', killed.by ?? test);
  }
}

function progress(text) {
  const count = (status) => [...mutants.values()].filter((mutant) => mutant.status === status).length;
  console.error(`${mutants.size - count('survived') - count('uncovered')} killed, now ${text}`);
}

function kill(id, status, by) {
  const mutant = mutants.get(id);
  mutant.status = status;
  mutant.by = by;
}

async function inParallel(tasksOf) {
  await Promise.all(
    Array.from({ length: WORKERS }, async (_, worker) => {
      for (const task of tasksOf(worker)) await task();
    }),
  );
}

/** One child process; ends with what it has logged. */
function run(task) {
  const folder = mkdtempSync(join(scratch, 'run-'));
  const log = join(folder, 'log');
  const file = join(folder, 'task.json');
  writeFileSync(log, '');
  writeFileSync(file, JSON.stringify({ ...task, log, instrumented }));
  return new Promise((done, reject) => {
    const child = spawn(process.execPath, ['--max-old-space-size=1536', 'tests/mutation/child.mjs'], {
      env: { ...process.env, SLUICE_MUTATION_TASK: file, NODE_ENV: 'test' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaints = '';
    let silent = false;
    let size = 0;
    child.stderr.on('data', (chunk) => {
      complaints = (complaints + chunk).slice(-4_000);
    });
    const watch = setInterval(() => {
      const grown = statSync(log).size;
      if (grown === size) {
        silent = true;
        child.kill('SIGKILL');
      }
      size = grown;
    }, SILENCE_MS);
    const weigh = setInterval(() => {
      if (memoryOf(child.pid) > MEMORY_BYTES) child.kill('SIGKILL');
    }, 500);
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(watch);
      clearInterval(weigh);
      const entries = readFileSync(log, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      rmSync(folder, { recursive: true, force: true });
      if (silent) entries.push({ kind: 'silent' });
      if (code !== 0 || complaints !== '') entries.push({ kind: 'failed' });
      if (task.kind === 'cover' && (code !== 0 || complaints !== '')) reject(new Error(`${task.tests}: ${complaints}`));
      else done(entries);
    });
  });
}

/** The resident memory of a process; 0 where it cannot be read. */
function memoryOf(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

function filesOf(path, ending) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .flatMap((entry) => {
      const inside = join(path, entry.name);
      return entry.isDirectory() ? filesOf(inside, ending) : inside.endsWith(ending) ? [inside] : [];
    })
    .sort();
}

function report() {
  const all = [...mutants.values()];
  for (const file of sources) {
    for (const { line, original, replacement, status } of all.filter((mutant) => mutant.file === file)) {
      if (status !== 'survived' && status !== 'uncovered') continue;
      console.log(`${status} ${file}:${line}  ${short(original)}  →  ${short(replacement) || '(removed)'}`);
    }
  }
  console.log(`\n${'file'.padEnd(52)} killed survived uncovered  of covered`);
  for (const file of sources)
    row(
      file,
      all.filter((mutant) => mutant.file === file),
    );
  for (const folder of Object.keys(CORE))
    row(
      folder,
      all.filter((mutant) => mutant.file.startsWith(`${folder}/`)),
    );
  const ended = all.filter((mutant) => mutant.status === 'ended the process').length;
  if (ended > 0) console.log(`${ended} of the killed ended the process, by running out of memory or time.`);
  mkdirSync('tmp', { recursive: true });
  const plain = all.map(({ coveredBy, ...mutant }) => ({ ...mutant, coveredBy: [...(coveredBy ?? [])] }));
  writeFileSync('tmp/mutation.json', `${JSON.stringify(plain, null, 1)}\n`);
}

function row(name, some) {
  if (some.length === 0) return;
  const count = (status) => some.filter((mutant) => mutant.status === status).length;
  const survived = count('survived');
  const uncovered = count('uncovered');
  const killed = some.length - survived - uncovered;
  const share = killed + survived === 0 ? '-' : `${((100 * killed) / (killed + survived)).toFixed(1)} %`;
  const columns = [killed, survived, uncovered].map((column) => String(column).padStart(8)).join(' ');
  console.log(`${name.padEnd(50)} ${columns}  ${share.padStart(8)}`);
}

function short(code) {
  const line = code.replaceAll(/\s+/g, ' ');
  return line.length > 100 ? `${line.slice(0, 97)}...` : line;
}
