/** Instructions to fix a server that fails a control. */
export interface Remedy {
  change: string;
  /** Instructions for a product, by its name. */
  in?: Readonly<Record<string, string>>;
}
