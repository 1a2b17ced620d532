import type { Input } from '@/cli/command';
import type { ApiReply, Call } from '@/cli/connection';
import type { CommandContext } from '@/cli/context';
import type { StreamedAnswer } from '@/cli/exchange';
import { type ExitCode, unreachable } from '@/cli/failure';
import { callOf } from '@/cli/operation/call-of';
import type { Field } from '@/cli/operation/fields';
import type { Form } from '@/cli/operation/form';
import { showList } from '@/cli/operation/pages';
import { VIEWS } from '@/cli/operation/views';
import type { Output } from '@/cli/output/output';
import { isRow, type Row } from '@/cli/output/rows';
import { isAddress } from '@/cli/values';
import type { Preview } from '@/lib/contract/preview';
import type { ManifestOperation } from '@/lib/openapi/manifest';

/** Calls the operation with what was typed, and prints the answer. Answers the exit code where it is not 0. @throws Failure */
export async function runOperation(
  context: CommandContext,
  input: Input,
  operation: ManifestOperation,
  fields: readonly Field[],
  form: Form,
): Promise<ExitCode | undefined> {
  const { id, list } = operation;
  const call = await callOf(context, operation, fields, form, input);
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

/** What an operation would change. */
export async function preview(context: CommandContext, operation: ManifestOperation, call: Call): Promise<void> {
  const { output } = context;
  const answer = await context.request(operation.id, { ...call, query: { ...call.query, dry_run: 'true' } });
  if (output.json) return output.jsonText(answer.text);
  const { changeText } = await import('@/cli/state/plan-text');
  const { changes } = answer.body as Preview;
  const texts = changes.map(({ action, target, before, after, effect }) => {
    const kind = before === null ? 'create' : after === null ? 'delete' : 'update';
    const id = context.names.get(target) ?? nameIn(before) ?? nameIn(after) ?? target;
    return changeText({ action: kind, kind: action, id, before, after, effect }, output.paint);
  });
  await output.write(texts.length === 0 ? 'Nothing would change.\n' : `${texts.join('\n')}\n`);
  output.note('Nothing was changed.');
}

/** What a record calls what it is about, where it is a name. */
function nameIn(record: unknown): string | null {
  return isRow(record) && typeof record.name === 'string' ? record.name : null;
}

/** What an operation answered: its JSON or text, or that it is done, and how to take a change back. */
async function showAnswer(
  context: CommandContext,
  operation: ManifestOperation,
  answer: ApiReply,
  { form, before, call, typed }: Told,
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
  else if (output.json) await output.jsonText(answer.text);
  else if (view !== undefined && isRow(answer.body))
    await view(answer.body, output, (other) => asked(context, other, call));
  else await output.show(answer.body, form.columns);
  tellStored(output, answer.body, typed);
  if (operation.reason !== undefined && isUndoable(form, call)) context.undoHint(answer);
}

function isUndoable({ undoable, notUndoableWith = [] }: Form, { body }: Call): boolean {
  return undoable !== false && !(isRow(body) && notUndoableWith.some((name) => body[name] !== undefined));
}

/** What an answer is told with. */
interface Told {
  form: Form;
  /** What `form.before` answered. */
  before: unknown;
  call: Call;
  /** The first argument. */
  typed: string | undefined;
}

/** The members that a change has changed, old and new; answers whether there are any. */
async function showDifference(output: Output, before: unknown, after: unknown): Promise<boolean> {
  const { differenceLines } = await import('@/cli/state/plan-text');
  const lines = differenceLines(before, after, output.paint);
  await output.line(lines.length === 0 ? 'It was so already.' : lines.join('\n'));
  return lines.length > 0;
}

/** Another operation with the same body, for what it knows more; null where it may not be asked. */
async function asked(context: CommandContext, id: string, { body }: Call): Promise<Row | null> {
  const answer = await context.request(id, { body }).catch(() => null);
  return isRow(answer?.body) ? answer.body : null;
}

/** That a range is wider than what was typed, or an address written in another way. */
function tellStored(output: Output, stored: unknown, typed: string | undefined): void {
  if (!isRow(stored) || typeof stored.identifier !== 'string' || typed === undefined || !isAddress(typed)) return;
  if (stored.identifier !== typed) output.note(`Stored as ${stored.identifier}.`);
}

/** A download, as it comes. */
async function copy({ output }: CommandContext, { body }: StreamedAnswer): Promise<void> {
  const decoder = new TextDecoder();
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await chunks.next().catch(() => {
      throw unreachable('The answer ended before it was whole.');
    });
    if (done) return;
    await output.write(decoder.decode(value, { stream: true }));
  }
}
