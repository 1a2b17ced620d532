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
import { isRow } from '@/cli/output/rows';
import type { Preview } from '@/lib/contract/preview';
import type { ManifestOperation } from '@/lib/openapi/manifest';

/** Calls the operation with what was typed, and prints the answer. Answers the exit code where it is not 0. @throws Failure */
export async function runOperation(
  context: CommandContext,
  input: Input,
  operation: ManifestOperation,
  fields: readonly Field[],
  form: Form,
): Promise<ExitCode | void> {
  const { id, list } = operation;
  const call = await callOf(context, operation, fields, form, input);
  const { format } = call.query ?? {};
  if (list && (format === undefined || format === 'json')) return showList(context, id, call, input, form.columns);
  if (input.options['dry-run'] === true) return preview(context, operation, call);
  if (form.question !== undefined) await context.output.confirm(form.question);
  if (format === 'csv' || format === 'jsonl' || operation.answers.includes('application/x-ndjson')) {
    return copy(context, await context.stream(id, call));
  }
  const answer = await context.request(id, call);
  await showAnswer(context, operation, answer, form);
  return form.exitCode?.(answer.body);
}

/** What an operation would change. */
async function preview(context: CommandContext, operation: ManifestOperation, call: Call): Promise<void> {
  const { output } = context;
  const answer = await context.request(operation.id, { ...call, query: { ...call.query, dry_run: 'true' } });
  if (output.json) return output.jsonText(answer.text);
  const { changeText } = await import('@/cli/state/plan-text');
  const { changes } = answer.body as Preview;
  const texts = changes.map(({ action, target, before, after, effect }) => {
    const kind = before === null ? 'create' : after === null ? 'delete' : 'update';
    return changeText({ action: kind, kind: action, id: target, before, after, effect }, output.paint);
  });
  await output.write(texts.length === 0 ? 'Nothing would change.\n' : `${texts.join('\n')}\n`);
  output.note('Nothing was changed.');
}

/** What an operation answered: its JSON or text, or that it is done, and how to take a change back. */
async function showAnswer(
  context: CommandContext,
  operation: ManifestOperation,
  answer: ApiReply,
  form: Form,
): Promise<void> {
  const { output } = context;
  const view = VIEWS[operation.id];
  if (answer.text === '') output.note(output.paintNote('green', 'Done.'));
  else if (typeof answer.body === 'string') await output.write(answer.text.replace(/\n*$/, '\n'));
  else if (output.json) await output.jsonText(answer.text);
  else if (view !== undefined && isRow(answer.body)) await view(answer.body, output);
  else await output.show(answer.body, form.columns);
  if (operation.reason !== undefined && form.undoable !== false) context.undoHint(answer);
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
