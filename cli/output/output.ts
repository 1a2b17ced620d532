import { once } from 'node:events';
import { wrongUsage } from '@/cli/failure';
import { hasColours, type Paint, painter } from '@/cli/output/colour';
import { columnsOf, isRow, type Row } from '@/cli/output/rows';
import type { ProgressLine, Streams } from '@/cli/output/streams';
import type { Layout } from '@/cli/output/table';
import type { Environment } from '@/cli/settings';

export interface OutputOptions {
  streams: Streams;
  env: Environment;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  json: boolean;
  /** Everything is confirmed. */
  yes: boolean;
}

const USUAL_WIDTH = 80;

/** What a command prints: results on stdout, everything about them on stderr. */
export class Output {
  /** Colours for stdout, or none. */
  readonly paint: Paint;
  /** Colours for stderr, or none. */
  readonly paintNote: Paint;
  /** Whether a person reads stdout. */
  readonly isTerminal: boolean;

  constructor(readonly options: OutputOptions) {
    const { streams, env } = options;
    this.isTerminal = streams.stdout.isTTY === true;
    this.paint = painter(hasColours(this.isTerminal, env));
    this.paintNote = painter(hasColours(streams.stderr.isTTY === true, env));
  }

  get json(): boolean {
    return this.options.json;
  }

  /** How wide tables may be; null in pipes and files. */
  get width(): number | null {
    return this.isTerminal ? (this.options.streams.stdout.columns ?? USUAL_WIDTH) : null;
  }

  /** A person sees times as they are from now, a program as the API has them. */
  get timesFrom(): number | null {
    return this.isTerminal ? this.options.now() : null;
  }

  /** Text on stdout as it is. Waits while the reader is slower. */
  async write(text: string): Promise<void> {
    if (!this.options.streams.stdout.write(text)) await once(this.options.streams.stdout, 'drain');
  }

  line(text: string): Promise<void> {
    return this.write(`${text}\n`);
  }

  /** The API's own JSON: as it was sent, or indented for a person. @param text as it was sent */
  jsonText(text: string): Promise<void> {
    return this.line(this.isTerminal ? JSON.stringify(JSON.parse(text), null, 2) : text.trimEnd());
  }

  /** A value as JSON with `--json`; else an object with a member on each line, a list as a table, text as it is. */
  async show(value: unknown, columns?: readonly string[]): Promise<void> {
    if (this.json) return this.jsonText(JSON.stringify(value));
    if (Array.isArray(value) && value.every(isRow)) return this.table(value, columns ?? columnsOf(value));
    if (isRow(value)) {
      const { recordText } = await import('@/cli/output/table');
      return this.line(recordText(value, this.#tableOptions()));
    }
    return this.line(String(value));
  }

  /** A table that fits the terminal. @param drop what a narrow one does without, the first to go first */
  async table(rows: readonly Row[], columns: readonly string[], drop: readonly string[] = []): Promise<void> {
    await (await this.pages(columns, drop))(rows);
  }

  /** A table that is as wide as what it holds: nothing of a secret may be cut. */
  async wholeTable(rows: readonly Row[], columns: readonly string[]): Promise<void> {
    const { tableText } = await import('@/cli/output/table');
    await this.line(tableText(rows, { ...this.#tableOptions(), columns, width: null }).text);
  }

  /** A table that comes in pages; they all look as the first one does. */
  async pages(
    columns: readonly string[],
    drop: readonly string[] = [],
  ): Promise<(rows: readonly Row[]) => Promise<void>> {
    const { tableText } = await import('@/cli/output/table');
    let layout: Layout | undefined;
    return async (rows) => {
      const isContinued = layout !== undefined;
      if (rows.length === 0) return isContinued ? undefined : this.note('There are none.');
      const page = tableText(rows, { ...this.#tableOptions(), columns, drop, isContinued, ...(layout && { layout }) });
      layout = page.layout;
      await this.line(page.text);
    };
  }

  #tableOptions() {
    return { now: this.timesFrom, width: this.width, paint: this.paint };
  }

  /** A line about the result, on stderr; not with `--json`, where stderr is for errors. */
  note(text: string): void {
    if (!this.json) this.options.streams.stderr.write(`${text}\n`);
  }

  /** Whether there is somebody to ask. */
  get canAsk(): boolean {
    const { stdin, stderr } = this.options.streams;
    return stdin.isTTY === true && stderr.isTTY === true;
  }

  /**
   * Asks before what cannot be undone, or is too much to be done by mistake. `--yes` answers.
   * @param matter why it is asked, for where nobody can be
   * @throws Failure with exit code 2 when there is nobody to ask, 1 when the answer is no, 130 for Ctrl-C
   */
  async confirm(question: string, matter = 'This cannot be undone'): Promise<void> {
    if (this.options.yes) return;
    if (!this.canAsk) throw wrongUsage(`${matter}, and nobody can be asked.`, 'Confirm it with --yes.');
    const { askToConfirm } = await import('@/cli/output/prompts');
    await askToConfirm(question, this.options.streams);
  }

  /** Asks for a line; hidden: shows nothing of it. @throws Failure with exit code 2 when there is nobody to ask */
  async ask(question: string, options: { hidden?: boolean } = {}): Promise<string> {
    if (!this.canAsk) throw wrongUsage(`${question}: nobody can be asked.`);
    const { askFor } = await import('@/cli/output/prompts');
    return askFor(question, this.options.streams, options.hidden === true);
  }

  /** Shows on a terminal's stderr that work goes on. Call `stop` before printing. */
  async progress(text: string): Promise<ProgressLine> {
    const { streams, env, now } = this.options;
    if (streams.stderr.isTTY !== true || env.CI) return SILENT;
    const { startProgress } = await import('@/cli/output/progress');
    return startProgress(text, { stderr: streams.stderr, now });
  }
}

const SILENT: ProgressLine = { update: () => undefined, stop: () => undefined };
