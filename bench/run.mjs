/*
 * Each subject is a TypeScript file in this folder. It exports `run(options): Promise<string>`, which returns Markdown.
 */
import { cpus, totalmem } from 'node:os';
import { pathToFileURL } from 'node:url';
import { readArguments, rejectArguments } from '../server/read-arguments.mjs';
import { bundle } from './bundle.mjs';

const SUBJECTS = [
  'engine',
  'ranges',
  'patterns',
  'http',
  'next',
  'cli',
  'client',
  'redis',
  'peers',
  'leases',
  'shards',
  'remote',
  'growth',
  'written',
  'disk',
  'candidates',
  'footprint',
  'named-limits',
  'exactness',
  'allocations',
  'costs',
  'secrets',
  'lists',
  'assessments',
  'state',
  'changes',
  'start',
];

const { positionals: asked, values } = readArguments({
  usage: 'npm run bench -- [SUBJECT...]',
  summary: 'Runs benchmarks and prints their results in Markdown.',
  positionals: ['SUBJECT', `One of ${SUBJECTS.join(', ')}. Without any, all run.`],
  options: {
    rounds: { type: 'string', value: 'NUMBER', description: 'Interleaved rounds, for subjects that have them.' },
  },
});
const options = values.rounds === undefined ? {} : { rounds: Number(values.rounds) };
const unknown = asked.filter((name) => !SUBJECTS.includes(name));
if (unknown.length > 0) rejectArguments(`Unknown: ${unknown.join(', ')}. There are: ${SUBJECTS.join(', ')}.`);

const [cpu] = cpus();
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpu?.model.trim() ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${new Date().toISOString().slice(0, 10)}\n`,
);
for (const name of asked.length > 0 ? asked : SUBJECTS) {
  const { run } = await import(pathToFileURL(await bundle(`bench/${name}.ts`)).href);
  console.log(`### \`npm run bench -- ${name}\`\n\n${await run(options)}\n`);
}
