import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import type { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import type { Finding } from '@/lib/oauth/assessment/run';
import { SECURE_CONTROLS } from '@/lib/oauth/lab/controls';
import { assessAll } from '@/tests/fixtures/assess-all';
import { ORIGIN, START, VERDICTS_ALONE } from '../../../unit/oauth/lab-fixture';

const LAB = 'lib/oauth/lab/';
const ENTRY = 'lib/oauth/assessment/lab-target.ts';

/** One place of the lab's source that is changed: `from` must stand there exactly once. */
interface Edit {
  /** Below `lib/oauth/lab`, or a path from the root. */
  file: string;
  from: string;
  to: string;
}

/** A weakness written into the lab's source: with every switch on, it turns one control red. */
export interface SourceMutant {
  control: string;
  /** What the mutant does, in a few words. */
  weakness: string;
  edits: readonly Edit[];
  /** Controls that cannot but turn red with it, and why. */
  inseparable?: Readonly<Record<string, string>>;
  /** Controls that it leaves undecided or without meaning. */
  silences?: readonly string[];
}

/** Makes a mutant of one edit. */
export const mutant = (
  control: string,
  weakness: string,
  file: string,
  from: string,
  to: string,
  rest: Pick<SourceMutant, 'inseparable' | 'silences'> = {},
  more: readonly Edit[] = [],
): SourceMutant => ({ control, weakness, edits: [{ file, from, to }, ...more], ...rest });

const pathOf = (file: string): string => resolve(file.includes('/') ? file : LAB + file);

/** The source with its edits. @throws Error when an edit does not fit the source exactly once */
function edited(path: string, edits: readonly Edit[]): string {
  let source = readFileSync(path, 'utf8');
  for (const { file, from, to } of edits) {
    const found = source.split(from).length - 1;
    if (found !== 1) throw new Error(`${file} holds ${found} times: ${from}`);
    source = source.replace(from, () => to);
  }
  return source;
}

/** Bundles the lab, as a target, with its edits. */
async function mutatedTarget({ edits }: Pick<SourceMutant, 'edits'>): Promise<typeof createLabTarget> {
  const sources = new Map(
    edits.map(({ file }) => [
      pathOf(file),
      edited(
        pathOf(file),
        edits.filter((edit) => edit.file === file),
      ),
    ]),
  );
  const folder = resolve('node_modules/.cache/sluice-mutants');
  mkdirSync(folder, { recursive: true });
  const outfile = `${folder}/${randomUUID()}.mjs`;
  await build({
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
    plugins: [
      {
        name: 'mutate',
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const contents = sources.get(path);
            return contents === undefined ? null : { contents, loader: 'ts' };
          });
        },
      },
    ],
  });
  try {
    return (await import(/* @vite-ignore */ outfile)).createLabTarget;
  } finally {
    rmSync(outfile);
  }
}

/** Assesses the mutated lab by the whole catalogue. */
export async function assessMutant(given: Pick<SourceMutant, 'edits'>): Promise<readonly Finding[]> {
  const target = await mutatedTarget(given);
  return assessAll(
    target({ ...VERDICTS_ALONE, origin: ORIGIN, controls: SECURE_CONTROLS, startAt: START }),
    VERDICTS_ALONE,
  );
}
