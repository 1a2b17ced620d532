import { FORGOTTEN, JournaledWindow, UNPACKED } from '@/lib/counters/embedded/journaled-window';
import type { PackedWindow } from '@/lib/counters/embedded/packed/packed-shard';
import { PackedWindows } from '@/lib/counters/embedded/packed/packed-windows';

/** Windows that stay objects. Further windows are packed if there is a place for them. */
const MOST_UNPACKED = 24_000;

/** Identifies a window in a walk: its key, or a number, which takes less memory (`keyAt`). */
export type Place = string | number;

/** Position of a walk through the windows. Every step yields the same object. */
export interface WindowStep {
  readonly key: string;
  readonly place: Place;
  readonly position: number;
  startsWith(prefix: string): boolean;
}

/**
 * Cached windows by key. The first ones are objects, because those are read and changed fastest. If there are very
 * many, the less active ones are packed (`PackedWindows`), and are changed there.
 */
export class CachedWindows {
  readonly #unpacked = new Map<string, JournaledWindow>();
  readonly #packed = new PackedWindows();

  /** @param most maximum of windows that stay objects, smaller in tests */
  constructor(private readonly most = MOST_UNPACKED) {}

  get size(): number {
    return this.#unpacked.size + this.#packed.size;
  }

  /** Returns the window, valid for the current event-loop turn. The caller must call `recordChange` after a change. */
  get(key: string): JournaledWindow | undefined {
    // This window is probably packed if most are.
    if (this.#packed.size > this.#unpacked.size) return this.#copy(key) ?? this.#unpacked.get(key);
    return this.#unpacked.get(key) ?? this.#copy(key);
  }

  #copy(key: string): JournaledWindow | undefined {
    const place = this.#packed.find(key);
    return place < 0 ? undefined : buildJournaledWindow(this.#packed.read(place), place);
  }

  /** Adds a window for a key that is not cached. @returns the window, valid for the current event-loop turn */
  add(key: string, window: PackedWindow): JournaledWindow {
    const place = this.#unpacked.size < this.most ? UNPACKED : this.#packed.add(key, window);
    const added = buildJournaledWindow(window, place < 0 ? UNPACKED : place);
    if (place < 0) this.#unpacked.set(key, added);
    return added;
  }

  /** Stores a change of a window. @param isBusy whether the window changes often */
  recordChange(key: string, window: JournaledWindow, isBusy: boolean): void {
    const { packed } = window;
    if (packed === UNPACKED) return;
    if (!isBusy || this.#unpacked.size >= this.most) {
      this.#packed.write(packed, window);
      return;
    }
    this.#packed.remove(packed);
    window.packed = UNPACKED;
    this.#unpacked.set(key, window);
  }

  delete(key: string, window: JournaledWindow): void {
    window.position = FORGOTTEN;
    if (window.packed === UNPACKED) this.#unpacked.delete(key);
    else this.#packed.remove(window.packed);
  }

  clear(): void {
    this.#unpacked.clear();
    this.#packed.clear();
  }

  /** Yields all windows, in no order. Concurrent additions, changes and deletions may be left out. */
  *walk(): Iterable<WindowStep> {
    const unpack = new UnpackedStep();
    for ([unpack.key, unpack.window] of this.#unpacked) yield unpack;
    const packed = new PackedStep(this.#packed);
    for (packed.place of this.#packed.listPlaces()) yield packed;
  }

  /** Returns the key of a place. If its window was deleted since, this is another key or an empty one. */
  keyAt(place: Place): string {
    return typeof place === 'string' ? place : this.#packed.readKey(place);
  }

  /** Packs windows that have not changed since a position, if more than half of the places are taken. */
  *pack(until: number): Iterable<void> {
    for (const [key, window] of this.#unpacked) {
      if (2 * this.#unpacked.size <= this.most) return;
      if (window.position <= until && this.#packed.add(key, window) >= 0) {
        this.#unpacked.delete(key);
        window.position = FORGOTTEN;
      }
      yield;
    }
  }
}

class UnpackedStep implements WindowStep {
  key = '';
  window: Pick<JournaledWindow, 'position'> = { position: FORGOTTEN };

  get place(): string {
    return this.key;
  }

  get position(): number {
    return this.window.position;
  }

  startsWith(prefix: string): boolean {
    return this.key.startsWith(prefix);
  }
}

class PackedStep implements WindowStep {
  /** Place in `PackedWindows`. */
  place = 0;

  constructor(private readonly windows: PackedWindows) {}

  get position(): number {
    return this.windows.readPosition(this.place);
  }

  get key(): string {
    return this.windows.readKey(this.place);
  }

  startsWith(prefix: string): boolean {
    return this.windows.startsWith(this.place, prefix);
  }
}

function buildJournaledWindow(
  { newest, latest, older, seconds, position }: PackedWindow,
  packed: number,
): JournaledWindow {
  return new JournaledWindow(newest, latest, older, seconds, position, packed);
}
