import { existsSync } from 'node:fs';
import { defineCommand, type Input, isOn, type OptionDefinition, readText } from '@/cli/command';
import type { ApiReply } from '@/cli/connection';
import type { CommandContext } from '@/cli/context';
import { EXIT, Failure } from '@/cli/failure';
import { writeWholeFile } from '@/cli/output/write-file';
import type { PlannedChange } from '@/cli/state/plan-text';

interface Plan {
  revision: number;
  changes: PlannedChange[];
}

const FILE = { name: 'file', description: 'A state document in YAML or JSON; - for stdin.' };
const PRUNE: OptionDefinition = {
  flag: 'prune',
  description: "Also remove objects that the file's sections do not name.",
};
/** Maximum number of objects listed that a file does not name. */
const MOST_NAMED = 5;
/** Maximum number of plans per apply if other changes interfere. */
const MOST_TRIES = 3;

export const pullState = defineCommand({
  name: 'state pull',
  summary: 'Write all rules as one file',
  description:
    'Writes all policies, rules, entries and keys, sorted and without secrets. Members with default values (no end, no owner, no overage) are omitted. The file names its schema, for editors.',
  arguments: [{ name: 'file', description: 'Output file. Default: stdout.', optional: true }],
  options: [{ flag: 'format', value: 'FORMAT', description: 'Default: by the file name.', choices: ['yaml', 'json'] }],
  examples: ['sluice state pull sluice.yaml', 'sluice state pull > sluice.yaml'],
  async run(context, input) {
    const { file } = input.arguments;
    const answer = await context.request('readState');
    if (context.output.json) return context.output.printJson(answer.text);
    const { formatStateDocument } = await import('@/cli/state/state-file');
    const format = readText(input, 'format') ?? (file?.endsWith('.json') ? 'json' : 'yaml');
    const text = formatStateDocument(
      answer.body as Record<string, unknown>,
      format === 'json' ? 'json' : 'yaml',
      context.url,
    );
    if (file === undefined || file === '-') return context.output.write(text);
    if (existsSync(file))
      await context.output.confirm(`Replace ${file}, with its comments?`, `${file} is there already`);
    await writeWholeFile(file, [text]);
    context.output.note(`Wrote ${file}.`);
  },
});

export const planState = defineCommand({
  name: 'state plan',
  summary: 'Show what a file would change, and the traffic it would affect',
  description: 'Changes nothing. The exit code is 4 if the file would change something.',
  arguments: [FILE],
  options: [PRUNE],
  examples: ['sluice state plan sluice.yaml', 'sluice state plan sluice.yaml --prune --json'],
  async run(context, input) {
    const { file, query } = await prepare(context, input);
    const answer = await runWithLines(file, () => context.request('planState', { query, body: file.body }));
    const { changes } = answer.body as Plan;
    if (context.output.json) await context.output.printJson(answer.text);
    else {
      await show(context, changes);
      if (!isOn(input, PRUNE.flag)) await noteUnnamedObjects(context, file, changes);
    }
    return changes.length === 0 ? EXIT.done : EXIT.changes;
  },
});

export const applyState = defineCommand({
  name: 'state apply',
  summary: 'Apply a file of rules',
  description:
    'Shows the plan, asks, and applies exactly that plan, completely or not at all. Secrets of new keys are printed once.',
  arguments: [FILE],
  options: [PRUNE, { flag: 'reason', value: 'TEXT', description: 'Reason, shown in the audit log.' }],
  examples: ['sluice state apply sluice.yaml', 'sluice state apply sluice.yaml --prune --yes --reason "Release 12"'],
  async run(context, input) {
    const { file, query } = await prepare(context, input);
    const plan = async () => {
      const answer = await runWithLines(file, () => context.request('planState', { query, body: file.body }));
      return answer.body as Plan;
    };
    const shown = await plan();
    const { changes } = shown;
    if (!context.output.json) await show(context, changes);
    if (changes.length > 0) {
      const { summarizeChanges } = await import('@/cli/state/plan-text');
      await context.output.confirm(`Apply to ${context.url}: ${summarizeChanges(changes)}`, 'This changes the rules');
    }
    const reason = readText(input, 'reason');
    const apply = ({ revision }: Plan) =>
      context.request('applyState', {
        query: { ...query, reason },
        headers: { 'if-match': `"${revision}"` },
        body: file.body,
      });
    await report(context, await applyPlan(shown, apply, plan));
  },
});

/** Reports how many objects the file does not name. They stay unless `--prune` is given. */
async function noteUnnamedObjects(
  context: CommandContext,
  file: File,
  planned: readonly PlannedChange[],
): Promise<void> {
  const answer = await context.request('planState', { query: { prune: 'true' }, body: file.body });
  const ids = new Set(planned.map(({ kind, id }) => `${kind} ${id}`));
  const left = (answer.body as Plan).changes.filter(({ kind, id }) => !ids.has(`${kind} ${id}`));
  if (left.length === 0) return;
  const names = left.slice(0, MOST_NAMED).map(({ kind, id }) => (kind === id ? kind : `${kind} ${id}`));
  const more = left.length > names.length ? ` and ${left.length - names.length} more` : '';
  context.output.note(`Not in the file, and left as it is without --prune: ${names.join(', ')}${more}.`);
}

async function prepare(context: CommandContext, input: Input) {
  const { readStateFile } = await import('@/cli/state/state-file');
  const file = await readStateFile(context, input.arguments.file ?? '-');
  return { file, query: isOn(input, 'prune') ? { prune: 'true' } : {} };
}

type File = Awaited<ReturnType<typeof prepare>>['file'];

async function runWithLines(file: File, work: () => Promise<ApiReply>): Promise<ApiReply> {
  const { addLines } = await import('@/cli/state/state-file');
  return work().catch((error: unknown) => {
    throw addLines(error, file);
  });
}

async function show({ output }: CommandContext, changes: readonly PlannedChange[]): Promise<void> {
  const { formatPlan } = await import('@/cli/state/plan-text');
  await output.printLine(formatPlan(changes, output.paint));
}

/** Applies the shown plan. Concurrent changes are fine if the new plan equals the shown one. */
async function applyPlan(
  shown: Plan,
  apply: (plan: Plan) => Promise<ApiReply>,
  planAgain: () => Promise<Plan>,
): Promise<Applied> {
  let plan = shown;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { answer: await apply(plan), before: plan.revision };
    } catch (error) {
      if (!(error instanceof Failure) || error.more.status !== 412 || attempt === MOST_TRIES) throw error;
      plan = await planAgain();
      if (JSON.stringify(plan.changes) === JSON.stringify(shown.changes)) continue;
      const message = error.more.mayBeDone
        ? 'The rules were changed since the plan, perhaps by this apply: an answer was lost on the way.'
        : 'The rules were changed since the plan; nothing was applied.';
      throw new Failure(EXIT.refused, 'precondition_failed', message, { hint: 'Run it again to see the new plan.' });
    }
  }
}

interface Applied {
  answer: ApiReply;
  /** Revision before the apply. */
  before: number;
}

/** Suggests how to undo the records of an apply, newest first. Each is undone separately. */
function suggestUndo(before: number, revision: number): string {
  if (revision === before + 1) return `undo: sluice audit undo ${revision}`;
  return `undo: for seq in $(seq ${revision} -1 ${before + 1}); do sluice audit undo $seq; done`;
}

async function report({ output }: CommandContext, { answer, before }: Applied): Promise<void> {
  if (output.json) return output.printJson(answer.text);
  const { revision, changes, secrets } = answer.body as Plan & { secrets: { name: string; secret: string }[] };
  if (secrets.length > 0) {
    output.note('Secrets of the new keys. They are shown this once:');
    await output.printFullTable(secrets, ['name', 'secret']);
  }
  if (changes.length === 0) return;
  output.note(output.paintNote('green', `Applied; the revision is ${revision}.`));
  output.note(suggestUndo(before, revision));
}
