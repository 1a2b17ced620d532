import type { Input } from '@/cli/command';
import type { ApiReply } from '@/cli/connection';
import type { CommandContext } from '@/cli/context';
import type { StreamedAnswer } from '@/cli/exchange';
import { unreachable } from '@/cli/failure';
import { callOf } from '@/cli/operation/call-of';
import type { Field } from '@/cli/operation/fields';
import type { Form } from '@/cli/operation/form';
import { showList } from '@/cli/operation/pages';
import { VIEWS } from '@/cli/operation/views';
import { isRow } from '@/cli/output/rows';
import type { ManifestOperation } from '@/lib/openapi/manifest';

/** Calls the operation with what was typed, and prints the answer. @throws Failure */
export async function runOperation(
  context: CommandContext,
  input: Input,
  operation: ManifestOperation,
  fields: readonly Field[],
  form: Form,
): Promise<void> {
  const { id, list } = operation;
  const call = await callOf(context, operation, fields, form, input);
  const { format } = call.query ?? {};
  if (list && (format === undefined || format === 'json')) return showList(context, id, call, input, form.columns);
  if (form.question !== undefined) await context.output.confirm(form.question);
  if (format === 'csv' || format === 'jsonl' || operation.answers.includes('application/x-ndjson')) {
    return copy(context, await context.stream(id, call));
  }
  const answer = await context.request(id, call);
  await showAnswer(context, operation, answer, form);
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
