/*
 * Numbers with a unit. A plain number fits either; a `Millis` does not fit where `Seconds` are asked for, nor the other
 * way round, and any arithmetic makes a plain number of it.
 */
declare const unit: unique symbol;

/** Milliseconds since the Unix epoch, or a length of time in milliseconds. */
export type Millis = number & { readonly [unit]?: 'ms' };

/** Whole seconds. */
export type Seconds = number & { readonly [unit]?: 's' };
