import { defineCommand, type Input, type OptionDefinition, readText } from '@/cli/command';
import { createUsageFailure, EXIT } from '@/cli/failure';
import type { AuditVerification } from '@/lib/contract/audit-log';

const FILTERS: readonly OptionDefinition[] = [
  { flag: 'actor', value: 'WHO', description: 'Id or name of the actor.' },
  { flag: 'action', value: 'ACTION', description: 'An action or its beginning; several with commas.' },
  { flag: 'target-type', value: 'KIND', description: 'Kind of the changed object.' },
  { flag: 'target', value: 'ID', description: 'Id of the changed object.' },
  { flag: 'q', value: 'TEXT', description: 'Part of a name or of the reason.' },
  { flag: 'since', value: 'TIME', description: 'Not before this time. Or how long ago: 2h.' },
  { flag: 'before', value: 'TIME', description: 'Before this time. Or how long ago: 2h.' },
].map((option) => ({ ...option, group: 'Filters' }));

export const exportAudit = defineCommand({
  name: 'audit export',
  summary: 'Write the audit log as JSON lines or CSV',
  description:
    'Newest first, streamed from the server, so that any length fits into memory. JSON lines without filters can be verified later by `sluice audit verify --file`.',
  operations: ['listAudit'],
  options: [
    { flag: 'format', value: 'FORMAT', description: 'Default: jsonl.', choices: ['jsonl', 'csv'] },
    {
      flag: 'output',
      short: 'o',
      value: 'FILE',
      description: 'Default: stdout. The file is written completely or not at all.',
    },
    ...FILTERS,
  ],
  examples: ['sluice audit export --output audit.jsonl', 'sluice audit export --format csv --action keys > keys.csv'],
  async run(context, input) {
    const { exportTo } = await import('@/cli/audit/export');
    const { parseTimeOrAgo } = await import('@/cli/values');
    const { since, before, ...filters } = Object.fromEntries(
      FILTERS.map(({ flag }) => [flag.replaceAll('-', '_'), readText(input, flag)] as const),
    );
    const query = {
      ...filters,
      from: since && parseTimeOrAgo('since', since, context.now()),
      to: before && parseTimeOrAgo('before', before, context.now()),
    };
    const format = readText(input, 'format') ?? 'jsonl';
    const response = await context.stream('listAudit', { query: { ...query, format }, headers: { accept: '*/*' } });
    return exportTo(context.output, response, readText(input, 'output'));
  },
});

export const verifyAudit = defineCommand({
  name: 'audit verify',
  summary: 'Verify the hash chain of the audit log',
  description:
    'The server verifies its log; --file verifies an export locally. Edits, deletions and reordering are always detected. Truncation and a complete rewrite are detected only with the `head` of an earlier verification. The exit code is 1 if the log is not intact.',
  options: [
    { flag: 'file', value: 'FILE', description: 'Export as JSON lines, verified locally without a server.' },
    { flag: 'head', value: 'HASH', description: 'Hash of the newest record of an earlier verification.' },
    { flag: 'seq', value: 'NUMBER', description: 'Its number.' },
  ],
  examples: ['sluice audit verify', 'sluice audit verify --file audit.jsonl --head 9f2c... --seq 812'],
  async run(context, input) {
    const file = readText(input, 'file');
    const result = file === undefined ? await verifyByServer() : await verifyHere(file, input);
    if (context.output.json) await context.output.show(result);
    else await context.output.printLine(describeResult(result));
    return result.valid ? EXIT.done : EXIT.refused;

    async function verifyByServer(): Promise<AuditVerification> {
      const query = { head: readText(input, 'head'), seq: readText(input, 'seq') };
      return (await context.request('verifyAuditLog', { query })).body as AuditVerification;
    }
  },
});

async function verifyHere(file: string, input: Input): Promise<AuditVerification> {
  const { readFileLines, verifyExport } = await import('@/cli/audit/verify-export');
  const [hash, seq] = [readText(input, 'head'), readText(input, 'seq')];
  if (hash === undefined && seq !== undefined) throw createUsageFailure('--seq needs --head.');
  if (seq !== undefined && !/^\d{1,15}$/.test(seq)) throw createUsageFailure('--seq must be a whole number.');
  const head = hash === undefined ? undefined : { hash, seq: seq === undefined ? undefined : Number(seq) };
  try {
    return await verifyExport(readFileLines(file), head);
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && 'syscall' in fault)
      throw createUsageFailure(`${file} cannot be read (${String(fault.code)}).`);
    throw fault;
  }
}

const PROBLEMS = {
  missing: 'is missing',
  unlinked: 'is not linked to the one before it',
  altered: 'was altered',
  truncated: 'is missing: the log ends before it',
  rewritten: 'is another one than before: the log was rewritten',
};

function describeResult(result: AuditVerification & { first_seq?: number }): string {
  const { records, head, first_invalid: wrong, first_seq: first = 1 } = result;
  if (wrong !== undefined) return `Not whole: record ${wrong.seq} ${PROBLEMS[wrong.problem]}.`;
  const from = first > 1 ? `, from record ${first} on` : '';
  return `Whole: ${records} records${from}. Keep the head for later: --head ${head.hash} --seq ${head.seq}`;
}
