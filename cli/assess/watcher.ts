import { printable } from '@/cli/assess/report-text';
import type { Watcher } from '@/cli/assess/run';

const ERASE_LINE = '\r\u001b[2K';
const USUAL_WIDTH = 80;

/** Where progress is shown. */
interface Screen {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** Tells a person how an assessment goes on: one line that changes on a terminal, and nothing but what matters in a pipe. */
export class AssessmentProgress implements Watcher {
  #failed = 0;
  #shown = '';

  /** @param quiet says nothing that needs no answer */
  constructor(
    readonly screen: Screen,
    readonly quiet: boolean,
  ) {}

  started(controls: number, requests: number): void {
    this.#show(`${controls} controls, about ${requests} requests: looking at the set-up`);
  }

  checked(checks: Parameters<Watcher['checked']>[0]): void {
    for (const { what, ok, text } of checks)
      if (ok === false) this.say(`Set-up, ${printable(what)}: ${printable(text)}`);
  }

  found({ control, verdict }: Parameters<Watcher['found']>[0], done: number, total: number): void {
    if (verdict === 'failed') this.#failed += 1;
    this.#show(`${done} of ${total} controls, ${this.#failed} failed: ${control}`);
  }

  refusedAnswer(why: string): void {
    this.say(why);
  }

  /** A line of its own; the progress goes on below it. */
  say(text: string): void {
    if (!this.quiet) this.ask(text);
  }

  /** A line that somebody has to act on: it is shown in any case. */
  ask(text: string): void {
    const shown = this.#shown;
    this.end();
    this.screen.write(`${text}\n`);
    this.#show(shown);
  }

  /** Takes the progress away. */
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
