/** Bytes of a block. The first is the length of its text. */
const BLOCK = 64;
/** Blocks added at each growth, in addition to a quarter of the buffer. */
const ROOM = 16;

/** Texts of older slots in blocks of 64 bytes, numbered from 0. */
export class SlotBlocks {
  #bytes = Buffer.allocUnsafeSlow(0);
  #end = 0;
  readonly #free: number[] = [];

  /** Returns whether a text fits into a block. */
  static canFit(text: string): boolean {
    return text.length < BLOCK;
  }

  /** Reserves a block. */
  take(): number {
    const freed = this.#free.pop();
    if (freed !== undefined) return freed;
    if (this.#end * BLOCK === this.#bytes.length) {
      const more = Buffer.allocUnsafeSlow((Math.ceil(1.25 * this.#end) + ROOM) * BLOCK);
      more.set(this.#bytes);
      this.#bytes = more;
    }
    this.#end += 1;
    return this.#end - 1;
  }

  free(block: number): void {
    this.#free.push(block);
  }

  read(block: number): string {
    const start = block * BLOCK + 1;
    return this.#bytes.toString('latin1', start, start + (this.#bytes[start - 1] as number));
  }

  /** @param text ASCII text that fits */
  write(block: number, text: string): void {
    const start = block * BLOCK + 1;
    this.#bytes[start - 1] = text.length;
    for (let i = 0; i < text.length; i += 1) this.#bytes[start + i] = text.charCodeAt(i);
  }
}
