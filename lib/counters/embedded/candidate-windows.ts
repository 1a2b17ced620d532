import {
  type Beside,
  FORGOTTEN,
  type JournaledWindow,
  placeOf,
  UNPACKED,
} from '@/lib/counters/embedded/journaled-window';
import type { PlacedCounter } from '@/lib/limiter/evaluate-group';
import type { Seconds } from '@/lib/units';

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

  /** Remembers a window, or that nobody has it; nothing of or beside what is packed, which is a copy. */
  remember({ candidate, beside }: PlacedCounter, seconds: Seconds, window: JournaledWindow | undefined): void {
    const place = placeOf(beside);
    if (place?.packed !== UNPACKED || candidate === undefined) return;
    let others: Beside | undefined;
    for (let link = place.beside; link !== undefined; link = link.next) {
      if (link.candidate !== candidate && this.#isTrue(link)) others = { ...link, next: others };
    }
    const kept = window === undefined || hasNothing(window) ? undefined : window;
    const isCopy = kept !== undefined && kept.packed !== UNPACKED;
    place.beside = isCopy ? others : { candidate, seconds, window: kept, others: this.#others, next: others };
  }

  #isTrue({ window, others }: Beside): boolean {
    return window === undefined ? others === this.#others : window.position !== FORGOTTEN;
  }
}

/** Whether it says no more than that the tables have nothing. */
function hasNothing({ newest, position }: JournaledWindow): boolean {
  return newest === 0 && position === 0;
}
