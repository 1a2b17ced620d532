/** What to change at a server that fails a control. */
export interface Remedy {
  change: string;
  /** The same in the words of a product, by its name. */
  in?: Readonly<Record<string, string>>;
}
