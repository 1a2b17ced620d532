import type { Input } from '@/cli/command';
import type { ApiReply, Call } from '@/cli/connection';
import type { CommandContext } from '@/cli/context';
import type { StreamedAnswer } from '@/cli/exchange';
import { createUnreachableFailure, type ExitCode } from '@/cli/failure';
import { buildCall } from '@/cli/operation/build-call';
import type { Field } from '@/cli/operation/fields';
import type { Form } from '@/cli/operation/form';
import { showList } from '@/cli/operation/pages';
import { VIEWS } from '@/cli/operation/views';
import type { Output } from '@/cli/output/output';
import { isRow, type Row } from '@/cli/output/rows';
import { isAddress } from '@/cli/values';
import type { Preview } from '@/lib/contract/preview';
import type { ManifestOperation } from '@/lib/openapi/manifest';

/** Calls the operation and prints the answer. Returns the exit code if it is not 0. @throws Failure */
export async function runOperation(
  context: CommandContext,
  input: Input,
  operation: ManifestOperation,
  fields: readonly Field[],
  form: Form,
): Promise<ExitCode | undefined> {
  const { id, list } = operation;
  const call = await buildCall(context, operation, fields, form, input);
  const { format } = call.query ?? {};
  if (list && (format === undefined || format === 'json')) {
    await showList(context, id, call, input, form);
    return undefined;
  }
  if (input.options['dry-run'] === true) {
    await preview(context, operation, call);
    return undefined;
  }
  if (form.question !== undefined) await context.output.confirm(form.question, form.matter);
  if (format === 'csv' || format === 'jsonl' || operation.answers.includes('application/x-ndjson')) {
    await copy(context, await context.stream(id, call));
    return undefined;
  }
  const before = form.before === undefined || context.output.json ? null : (await context.request(form.before)).body;
  const answer = await context.request(id, call);
  await showAnswer(context, operation, answer, { form, before, call, typed: Object.values(input.arguments)[0] });
  return form.exitCode?.(answer.body);
}

/** Prints what an operation would change. */
export async function preview(context: CommandContext, operation: ManifestOperation, call: Call): Promise<void> {
  const { output } = context;
  const answer = await context.request(operation.id, { ...call, query: { ...call.query, dry_run: 'true' } });
  if (output.json) return output.printJson(answer.text);
  const { formatChange } = await import('@/cli/state/plan-text');
  const { changes } = answer.body as Preview;
  const texts = changes.map(({ action, target, before, after, effect }) => {
    const kind = before === null ? 'create' : after === null ? 'delete' : 'update';
    const id = context.names.get(target) ?? readName(before) ?? readName(after) ?? target;
    return formatChange({ action: kind, kind: action, id, before, after, effect }, output.paint);
  });
  await output.write(texts.length === 0 ? 'Nothing would change.\n' : `${texts.join('\n')}\n`);
  output.note('Nothing was changed.');
}

/** Returns the name in a record, or null. */
function readName(record: unknown): string | null {
  return isRow(record) && typeof record.name === 'string' ? record.name : null;
}

/** Prints an answer: its JSON or text, or a success message, and how to undo the change. */
async function showAnswer(
  context: CommandContext,
  operation: ManifestOperation,
  answer: ApiReply,
  { form, before, call, typed }: AnswerContext,
): Promise<void> {
  const { output } = context;
  const view = VIEWS[operation.id];
  if (answer.text === '') {
    const what = context.names.get(call.params?.id ?? '') ?? typed;
    const done = form.done === undefined || what === undefined ? 'Done.' : `${form.done} ${what}.`;
    output.note(output.paintNote('green', done));
  } else if (before !== null) {
    if (!(await showDifference(output, before, answer.body))) return;
  } else if (typeof answer.body === 'string') await output.write(answer.text.replace(/\n*$/, '\n'));
  else if (output.json) await output.printJson(answer.text);
  else if (view !== undefined && isRow(answer.body))
    await view(answer.body, output, (other) => askOther(context, other, call));
  else await output.show(convertRows(answer.body, form), form.columns);
  noteStoredIdentifier(output, answer.body, typed);
  if (operation.reason !== undefined && isUndoable(form, call)) context.undoHint(answer);
}

/** Converts the rows of a list that has no pages. */
function convertRows(body: unknown, { row }: Form): unknown {
  return row !== undefined && Array.isArray(body) ? body.filter(isRow).map(row) : body;
}

function isUndoable({ undoable, notUndoableWith = [] }: Form, { body }: Call): boolean {
  return undoable !== false && !(isRow(body) && notUndoableWith.some((name) => body[name] !== undefined));
}

/** Context for printing an answer. */
interface AnswerContext {
  form: Form;
  /** Answer of `form.before`. */
  before: unknown;
  call: Call;
  /** First argument. */
  typed: string | undefined;
}

/** Prints the changed members, old and new. Returns whether there are any. */
async function showDifference(output: Output, before: unknown, after: unknown): Promise<boolean> {
  const { formatDifferences } = await import('@/cli/state/plan-text');
  const lines = formatDifferences(before, after, output.paint);
  await output.printLine(lines.length === 0 ? 'It was so already.' : lines.join('\n'));
  return lines.length > 0;
}

/** Calls another operation with the same body for additional data. Null if it is forbidden. */
async function askOther(context: CommandContext, id: string, { body }: Call): Promise<Row | null> {
  const answer = await context.request(id, { body }).catch(() => null);
  return isRow(answer?.body) ? answer.body : null;
}

/** Notes that a range was widened, or that an address was stored in another spelling. */
function noteStoredIdentifier(output: Output, stored: unknown, typed: string | undefined): void {
  if (!isRow(stored) || typeof stored.identifier !== 'string' || typed === undefined || !isAddress(typed)) return;
  if (stored.identifier !== typed) output.note(`Stored as ${stored.identifier}.`);
}

/** Streams a download to stdout. */
async function copy({ output }: CommandContext, { body }: StreamedAnswer): Promise<void> {
  const decoder = new TextDecoder();
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await chunks.next().catch(() => {
      throw createUnreachableFailure('The answer ended before it was whole.');
    });
    if (done) return;
    await output.write(decoder.decode(value, { stream: true }));
  }
}
