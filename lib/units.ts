/*
 * Numbers with a unit. `Millis` and `Seconds` are not assignable to each other; plain numbers, such as the result of any
 * arithmetic, are assignable to both.
 */
declare const unit: unique symbol;

/** Milliseconds since the Unix epoch, or a length of time in milliseconds. */
export type Millis = number & { readonly [unit]?: 'ms' };

/** Whole seconds. */
export type Seconds = number & { readonly [unit]?: 's' };
