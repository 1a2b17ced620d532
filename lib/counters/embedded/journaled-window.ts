import type { PlacedCounter } from '@/lib/limiter/evaluate-group';
import type { OlderSlots } from '@/lib/limiter/older-slots';
import type { Seconds } from '@/lib/units';

/**
 * A sliding window as it was journaled last. Changed in place: there are hundreds of thousands, and a new object for each
 * decision would be copied by the collector of garbage.
 */
export interface JournaledWindow {
  readonly kind: 'sliding';
  newest: number;
  latest: number;
  older: OlderSlots;
  seconds: Seconds;
  /** 0 where the tables have it, `FORGOTTEN` where it is not known any more. */
  position: number;
  /** The windows of candidates that stand beside it, as far as they were looked for. */
  beside: Beside | undefined;
}

interface Beside {
  readonly candidate: string;
  readonly seconds: Seconds;
  /** Undefined where neither this process nor the tables have it, as of this many writes of others. */
  readonly window: JournaledWindow | undefined;
  readonly others: number;
  readonly next: Beside | undefined;
}

/** The position of a window that is not known any more. */
export const FORGOTTEN = -1;

export function placeOf(counter: Pick<PlacedCounter, 'place'> | undefined): JournaledWindow | undefined {
  return counter?.place as JournaledWindow | undefined;
}

/**
 * The windows of candidates, found by those that they stand beside: that costs less than to look for another key. That
 * nobody has one is remembered as well, until another process writes one of any candidate.
 */
export class CandidateWindows {
  #others = 0;

  /** Takes note that others have written windows of candidates, or may have. */
  othersWrote(): void {
    this.#others += 1;
  }

  /** @returns undefined where it was not remembered, null for one that nobody has */
  find({ candidate, beside }: PlacedCounter, seconds: Seconds): JournaledWindow | undefined | null {
    for (let link = placeOf(beside)?.beside; link !== undefined; link = link.next) {
      if (link.candidate !== candidate || link.seconds !== seconds || !this.#isTrue(link)) continue;
      return link.window ?? null;
    }
    return undefined;
  }

  /** Remembers a window, or that nobody has it; nothing of a counter that stands beside none that is known. */
  remember({ candidate, beside }: PlacedCounter, seconds: Seconds, window: JournaledWindow | undefined): void {
    const place = placeOf(beside);
    if (place === undefined || candidate === undefined) return;
    let next: Beside | undefined;
    for (let link = place.beside; link !== undefined; link = link.next) {
      if (link.candidate !== candidate && this.#isTrue(link)) next = { ...link, next };
    }
    place.beside = { candidate, seconds, window, others: this.#others, next };
  }

  #isTrue({ window, others }: Beside): boolean {
    return window === undefined ? others === this.#others : window.position !== FORGOTTEN;
  }
}
