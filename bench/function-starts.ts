import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from './rounds';

const STARTS = 7;

interface FunctionStart {
  status: number;
  /** First answer after the start of the process, in ms. */
  first: number;
  /** Processor time until then, in ms. */
  cpu: number;
}

/** Measures how long a function of a platform takes to start and to answer its first check, on an existing database. */
export async function measureFunctionStarts(environment: Record<string, string>): Promise<string> {
  const starts: FunctionStart[] = [];
  // The first start creates the database.
  for (let round = 0; round <= STARTS; round += 1) {
    const env = { ...process.env, ...environment };
    const { stdout } = await promisify(execFile)(process.execPath, ['bench/function-start.mjs'], { env });
    const start = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as FunctionStart;
    if (start.status !== 200) throw new Error(`The first check got ${start.status}.`);
    if (round > 0) starts.push(start);
  }
  const of = (field: 'first' | 'cpu') => `${Math.round(median(starts.map((start) => start[field])))} ms`;
  return `First answer of a function, from the start of its process: ${of('first')}, of it ${of('cpu')} of processor time; median of ${STARTS}, goal 400 ms on two quiet cores.`;
}
