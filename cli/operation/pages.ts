import { type Input, isOn, readText } from '@/cli/command';
import type { Call } from '@/cli/connection';
import type { CommandContext } from '@/cli/context';
import { createUsageFailure } from '@/cli/failure';
import type { Form } from '@/cli/operation/form';
import { USUAL_LIMIT } from '@/cli/operation/options';
import { chooseColumns, isRow, type Row } from '@/cli/output/rows';
import { parseWholeNumber } from '@/cli/values';
import { findNextCursor } from '@/lib/http/next-cursor';

const LARGEST_PAGE = 1_000;

/** Prints a list page by page. The next page is requested only after the previous one was consumed. */
export async function showList(
  context: CommandContext,
  id: string,
  call: Call,
  input: Input,
  form: Pick<Form, 'columns' | 'drop' | 'row'>,
): Promise<void> {
  const limit = readLimit(input);
  const printer = context.output.json ? createJsonPrinter(context) : createTablePrinter(context, form);
  let left = limit;
  let cursor: string | null = null;
  do {
    const size = Math.min(left, LARGEST_PAGE);
    const answer = await context.request(id, {
      ...call,
      query: { ...call.query, limit: String(size), cursor: cursor ?? undefined },
    });
    const rows = Array.isArray(answer.body) ? answer.body.filter(isRow) : [];
    await printer.page(rows);
    left -= rows.length;
    cursor = findNextCursor(answer.headers.get('link'));
  } while (cursor !== null && left > 0);
  await printer.end();
  if (cursor !== null) context.output.note(`There are more than ${limit}: --all shows all of them.`);
}

function readLimit(input: Input): number {
  const text = readText(input, 'limit');
  if (isOn(input, 'all')) {
    if (text !== undefined) throw createUsageFailure('--all and --limit exclude each other.');
    return Number.POSITIVE_INFINITY;
  }
  const limit = text === undefined ? USUAL_LIMIT : parseWholeNumber('limit', text);
  if (limit < 1) throw createUsageFailure('--limit takes a number from 1 on.');
  return limit;
}

interface Printer {
  page(rows: readonly Row[]): Promise<void>;
  end(): Promise<void>;
}

function createTablePrinter(
  { output }: CommandContext,
  { columns, drop, row = (shown) => shown }: Pick<Form, 'columns' | 'drop' | 'row'>,
): Printer {
  let print: ((rows: readonly Row[]) => Promise<void>) | undefined;
  return {
    async page(rows) {
      print ??= await output.createPagePrinter(columns ?? chooseColumns(rows), drop);
      await print(rows.map(row));
    },
    end: async () => undefined,
  };
}

/** Prints all pages as one JSON array. */
function createJsonPrinter({ output }: CommandContext): Printer {
  let count = 0;
  return {
    async page(rows) {
      for (const row of rows) {
        await output.write(`${count === 0 ? '[' : ','}\n${JSON.stringify(row)}`);
        count += 1;
      }
    },
    end: () => output.printLine(count === 0 ? '[]' : '\n]'),
  };
}
