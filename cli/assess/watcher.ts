import { removeControlCharacters } from '@/cli/assess/report-text';
import type { Watcher } from '@/cli/assess/run';

const ERASE_LINE = '\r\u001b[2K';
const USUAL_WIDTH = 80;

/** Output of the progress. */
interface Screen {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** Prints the progress of an assessment. A terminal shows one changing line; a pipe receives important lines only. */
export class AssessmentProgress implements Watcher {
  #failed = 0;
  #shown = '';

  /** @param quiet true prints only lines that need an answer */
  constructor(
    readonly screen: Screen,
    readonly quiet: boolean,
  ) {}

  reportStart(controls: number, requests: number): void {
    this.#show(`${controls} controls, about ${requests} requests: looking at the set-up`);
  }

  reportChecks(checks: Parameters<Watcher['reportChecks']>[0]): void {
    for (const { what, ok, text } of checks)
      if (ok === false || what === 'registration')
        this.print(`Set-up, ${removeControlCharacters(what)}: ${removeControlCharacters(text)}`);
  }

  reportFinding({ control, verdict }: Parameters<Watcher['reportFinding']>[0], done: number, total: number): void {
    if (verdict === 'failed') this.#failed += 1;
    this.#show(`${done} of ${total} controls, ${this.#failed} failed: ${control}`);
  }

  reportRefusedAnswer(why: string): void {
    this.print(why);
  }

  /** Prints a line above the progress. */
  print(text: string): void {
    if (!this.quiet) this.ask(text);
  }

  /** Prints a line that needs an action, even if `quiet`. */
  ask(text: string): void {
    const shown = this.#shown;
    this.end();
    this.screen.write(`${text}\n`);
    this.#show(shown);
  }

  /** Erases the progress line. */
  end(): void {
    if (this.#shown !== '' && this.screen.isTTY === true) this.screen.write(ERASE_LINE);
    this.#shown = '';
  }

  #show(text: string): void {
    this.#shown = text;
    if (this.quiet || this.screen.isTTY !== true || text === '') return;
    this.screen.write(ERASE_LINE + text.slice(0, (this.screen.columns ?? USUAL_WIDTH) - 1));
  }
}
