import { defineCommand, type Input, isOn, readText } from '@/cli/command';
import type { ApiReply } from '@/cli/connection';
import type { CommandContext } from '@/cli/context';
import { createUsageFailure, EXIT, Failure } from '@/cli/failure';
import { DRY_RUN_OPTION } from '@/cli/operation/options';
import { isRow, type Row } from '@/cli/output/rows';

/** Documentation address (RFC 5737). A question needs a caller, but consumes nothing. */
const SAMPLE_ADDRESS = '192.0.2.1';
const CLASSES = ['auth', 'sensitive', 'read', 'write', 'lab'];
const COLUMNS = ['method', 'path', 'class', 'cost'];
const REASON = { flag: 'reason', value: 'TEXT', description: 'Reason, shown in the audit log.' };

/** True if a rule has this method and path. */
const createRuleMatcher = (method: string, path: string) => (rule: Row) => rule.method === method && rule.path === path;

/** Replaces the rules, unless they have changed since they were read. */
async function replaceRules(context: CommandContext, rules: unknown, etag: string | null, input: Input): Promise<void> {
  const call = {
    body: rules,
    query: { reason: readText(input, 'reason') },
    ...(etag === null ? {} : { headers: { 'if-match': etag } }),
  };
  if (isOn(input, DRY_RUN_OPTION.flag)) {
    const { preview } = await import('@/cli/operation/run-operation');
    return preview(context, context.lookUpOperation('replaceRouteRules'), call);
  }
  const answer = await context.request('replaceRouteRules', call);
  await showRules(context, answer);
  context.undoHint(answer);
}

/** Notes that `/reports/*` does not cover `/reports`, because many users mean both. */
function noteUncoveredParent({ output }: CommandContext, { method, path }: Row, rules: readonly Row[]): void {
  const [, parent] = /^(\/.*[^*/])\/\*$/.exec(String(path)) ?? [];
  const isThere = rules.some((rule) => rule.path === parent && (rule.method === method || rule.method === '*'));
  if (parent === undefined || isThere) return;
  output.note(`${path} does not match ${parent} itself: add a rule for it if it should.`);
}

async function showRules({ output }: CommandContext, answer: ApiReply): Promise<void> {
  if (output.json) return output.printJson(answer.text);
  await output.show(answer.body, COLUMNS);
}

async function readRules(context: CommandContext): Promise<{ rules: Row[]; etag: string | null }> {
  const { body, headers } = await context.request('getRouteRules');
  return { rules: Array.isArray(body) ? body.filter(isRow) : [], etag: headers.get('etag') };
}

export const routesSet = defineCommand({
  name: 'routes set',
  summary: 'Set one route rule, or replace all of them',
  description:
    'The first rule that matches a request decides; `sluice policies get` shows what each class allows. A rule with exactly this METHOD and PATH is changed in place and keeps the values that you do not name. A new rule is put first, where it overrides all others, or last with --last. --data replaces all rules. Nothing changes if the rules have changed since they were read.',
  arguments: [
    { name: 'method', description: 'GET, POST, ..., or * for all.', optional: true },
    {
      name: 'path',
      description: 'A path; * stands for anything, :id for one segment: /api/reports/:id.',
      optional: true,
    },
  ],
  options: [
    {
      flag: 'class',
      value: 'CLASS',
      description: 'Endpoint class of matching requests; required for a new rule.',
      choices: CLASSES,
    },
    { flag: 'cost', value: 'NUMBER', description: 'Cost of one request. Default for a new rule: 1.' },
    { flag: 'last', description: 'Put a new rule last.' },
    { flag: 'data', value: 'FILE', description: 'All rules: a file of JSON, - for stdin, or JSON itself.' },
    REASON,
    DRY_RUN_OPTION,
  ],
  examples: [
    'sluice routes set POST /api/transfers --class sensitive --cost 5 --reason "Money"',
    'sluice routes set POST /api/transfers --cost 3',
    'sluice routes get --json > rules.json',
    'sluice routes set --data rules.json',
  ],
  async run(context, input) {
    const { method, path } = input.arguments;
    const name = readText(input, 'class');
    const data = readText(input, 'data');
    if (data !== undefined) {
      if (method !== undefined) throw createUsageFailure('--data replaces all rules: it takes no METHOD and PATH.');
      const { readJsonData } = await import('@/cli/operation/data');
      return replaceRules(context, await readJsonData(context, data), null, input);
    }
    const cost = readText(input, 'cost');
    if (method === undefined || path === undefined || (name === undefined && cost === undefined)) {
      throw createUsageFailure('Give METHOD, PATH and --class, or all rules with --data.');
    }
    const { parseWholeNumber } = await import('@/cli/values');
    const changes = {
      ...(name === undefined ? {} : { class: name }),
      ...(cost === undefined ? {} : { cost: parseWholeNumber('cost', cost) }),
    };
    const { rules, etag } = await readRules(context);
    const isSame = createRuleMatcher(method.toUpperCase(), path);
    const existing = rules.find(isSame);
    if (existing === undefined && name === undefined) {
      throw createUsageFailure('There is no rule of this method and path to change.', 'A new one needs --class.');
    }
    const rule: Row = { ...(existing ?? { method: method.toUpperCase(), path }), ...changes };
    const changed = rules.map((one) => (isSame(one) ? rule : one));
    const all = existing !== undefined ? changed : isOn(input, 'last') ? [...rules, rule] : [rule, ...rules];
    await replaceRules(context, all, etag, input);
    noteUncoveredParent(context, rule, all);
  },
});

export const routesRemove = defineCommand({
  name: 'routes remove',
  summary: 'Remove one route rule',
  description: 'Changes nothing if the rules have changed since they were read.',
  operations: ['replaceRouteRules'],
  arguments: [
    { name: 'method', description: 'Method of the rule.' },
    { name: 'path', description: 'Path pattern of the rule.' },
  ],
  options: [REASON, DRY_RUN_OPTION],
  examples: ['sluice routes remove POST /api/transfers'],
  async run(context, input) {
    const { method = '', path = '' } = input.arguments;
    const { rules, etag } = await readRules(context);
    const isSame = createRuleMatcher(method.toUpperCase(), path);
    const left = rules.filter((rule) => !isSame(rule));
    if (left.length === rules.length) {
      throw new Failure(EXIT.refused, 'not_found', 'There is no rule of this method and path.');
    }
    await replaceRules(context, left, etag, input);
  },
});

export const routesTest = defineCommand({
  name: 'routes test',
  summary: 'Show the route rule that matches a request',
  description: 'Asks the server for the class of a request, and where it comes from. Consumes nothing.',
  operations: ['explainDecision'],
  arguments: [
    { name: 'method', description: 'GET, POST, ...' },
    { name: 'path', description: 'The path, with or without a query.' },
  ],
  options: [{ flag: 'ip', value: 'ADDRESS', description: 'Also show the answer for this address.' }],
  examples: ['sluice routes test POST /api/transfers', 'sluice routes test GET /api/reports/7 --ip 203.0.113.7'],
  async run(context, input) {
    const { method, path } = input.arguments;
    const ip = readText(input, 'ip');
    const body = { method, path, ip: ip ?? SAMPLE_ADDRESS };
    const answer = await context.request('explainDecision', { body });
    const { output } = context;
    if (output.json) return output.printJson(answer.text);
    const { class: name, cost, class_source } = answer.body as Record<string, unknown>;
    const detail = isRow(class_source) ? class_source.detail : '';
    await output.printLine(`${output.paint('bold', `class ${name}`)}, cost ${cost}: ${detail}`);
    if (ip === undefined || !isRow(answer.body)) return;
    const { VIEWS } = await import('@/cli/operation/views');
    await VIEWS.explainDecision?.(answer.body, output, async () => null);
  },
});
