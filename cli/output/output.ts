import { once } from 'node:events';
import { createUsageFailure } from '@/cli/failure';
import { createPainter, hasColours, type Paint } from '@/cli/output/colour';
import { chooseColumns, isRow, type Row } from '@/cli/output/rows';
import type { ProgressLine, Streams } from '@/cli/output/streams';
import type { Layout } from '@/cli/output/table';
import type { Environment } from '@/cli/settings';

export interface OutputOptions {
  streams: Streams;
  env: Environment;
  /** Current time, in milliseconds since the Unix epoch. */
  now: () => number;
  json: boolean;
  /** Confirms every question. */
  yes: boolean;
}

const USUAL_WIDTH = 80;

/** Prints results to stdout, and everything else to stderr. */
export class Output {
  /** Colours text for stdout, if enabled. */
  readonly paint: Paint;
  /** Colours text for stderr, if enabled. */
  readonly paintNote: Paint;
  /** True if stdout is a terminal. */
  readonly isTerminal: boolean;

  constructor(readonly options: OutputOptions) {
    const { streams, env } = options;
    this.isTerminal = streams.stdout.isTTY === true;
    this.paint = createPainter(hasColours(this.isTerminal, env));
    this.paintNote = createPainter(hasColours(streams.stderr.isTTY === true, env));
  }

  get json(): boolean {
    return this.options.json;
  }

  /** Maximum width of tables. Null in pipes and files. */
  get width(): number | null {
    return this.isTerminal ? (this.options.streams.stdout.columns ?? USUAL_WIDTH) : null;
  }

  /** Base of relative times. Null for programs, which get times as the API sends them. */
  get timesFrom(): number | null {
    return this.isTerminal ? this.options.now() : null;
  }

  /** Writes text to stdout unchanged, and waits if the reader is slower. */
  async write(text: string): Promise<void> {
    if (!this.options.streams.stdout.write(text)) await once(this.options.streams.stdout, 'drain');
  }

  printLine(text: string): Promise<void> {
    return this.write(`${text}\n`);
  }

  /** Prints the API's JSON: unchanged for a program, indented for a person. @param text the JSON as received */
  printJson(text: string): Promise<void> {
    return this.printLine(this.isTerminal ? JSON.stringify(JSON.parse(text), null, 2) : text.trimEnd());
  }

  /**
   * Prints a value. `--json` prints JSON; otherwise an object is one member per line, a list a table, and text is
   * unchanged.
   */
  async show(value: unknown, columns?: readonly string[]): Promise<void> {
    if (this.json) return this.printJson(JSON.stringify(value));
    if (Array.isArray(value) && value.every(isRow)) return this.printTable(value, columns ?? chooseColumns(value));
    if (isRow(value)) {
      const { formatRecord } = await import('@/cli/output/table');
      return this.printLine(formatRecord(value, this.#buildTableOptions()));
    }
    return this.printLine(String(value));
  }

  /** Prints a table that fits the terminal. @param drop columns that a narrow terminal omits, in this order */
  async printTable(rows: readonly Row[], columns: readonly string[], drop: readonly string[] = []): Promise<void> {
    await (await this.createPagePrinter(columns, drop))(rows);
  }

  /** Prints a table at full width, so that no secret is cut. */
  async printFullTable(rows: readonly Row[], columns: readonly string[]): Promise<void> {
    const { formatTable } = await import('@/cli/output/table');
    await this.printLine(formatTable(rows, { ...this.#buildTableOptions(), columns, width: null }).text);
  }

  /** Prints a table in pages that share the layout of the first. */
  async createPagePrinter(
    columns: readonly string[],
    drop: readonly string[] = [],
  ): Promise<(rows: readonly Row[]) => Promise<void>> {
    const { formatTable } = await import('@/cli/output/table');
    let layout: Layout | undefined;
    return async (rows) => {
      const isContinued = layout !== undefined;
      if (rows.length === 0) return isContinued ? undefined : this.note('There are none.');
      const page = formatTable(rows, {
        ...this.#buildTableOptions(),
        columns,
        drop,
        isContinued,
        ...(layout && { layout }),
      });
      layout = page.layout;
      await this.printLine(page.text);
    };
  }

  #buildTableOptions() {
    return { now: this.timesFrom, width: this.width, paint: this.paint };
  }

  /** Prints a line about the result to stderr. `--json` suppresses it, because stderr is then for errors only. */
  note(text: string): void {
    if (!this.json) this.options.streams.stderr.write(`${text}\n`);
  }

  /** True if a person can answer questions. */
  get canAsk(): boolean {
    const { stdin, stderr } = this.options.streams;
    return stdin.isTTY === true && stderr.isTTY === true;
  }

  /**
   * Asks for confirmation before an operation that cannot be undone or that is large. `--yes` confirms it.
   * @param matter reason for the question, shown if there is no terminal
   * @throws Failure with exit code 2 without a terminal, 1 if the answer is no, 130 on Ctrl-C
   */
  async confirm(question: string, matter = 'This cannot be undone'): Promise<void> {
    if (this.options.yes) return;
    if (!this.canAsk) throw createUsageFailure(`${matter}, and there is no terminal to ask.`, 'Confirm it with --yes.');
    const { askToConfirm } = await import('@/cli/output/prompts');
    await askToConfirm(question, this.options.streams);
  }

  /** Asks for a line. `hidden` hides the typed text. @throws Failure with exit code 2 without a terminal */
  async ask(question: string, options: { hidden?: boolean } = {}): Promise<string> {
    if (!this.canAsk) throw createUsageFailure(`${question}: there is no terminal to ask.`);
    const { askFor } = await import('@/cli/output/prompts');
    return askFor(question, this.options.streams, options.hidden === true);
  }

  /** Shows progress on stderr if it is a terminal. Call `stop` before printing. */
  async showProgress(text: string): Promise<ProgressLine> {
    const { streams, env, now } = this.options;
    if (streams.stderr.isTTY !== true || env.CI) return SILENT;
    const { startProgress } = await import('@/cli/output/progress');
    return startProgress(text, { stderr: streams.stderr, now });
  }
}

const SILENT: ProgressLine = { update: () => undefined, stop: () => undefined };
