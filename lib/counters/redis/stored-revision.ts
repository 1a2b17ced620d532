/**
 * The epoch as Redis holds it: `<revision> <writes> <installation>`. The revision is that of the rules, -1 while it is
 * not known; `writes` counts how often the value was changed, so that no two values are the same; the installation is
 * the database whose rules these are.
 */
export interface StoredEpoch {
  revision: number;
  installation: string;
}

/** Null for a key that is missing, and for what another version or somebody else has written. */
export function parseEpoch(text: string): StoredEpoch | null {
  const [, revision, installation] = /^(-?\d+) \d+ (\S+)$/.exec(text) ?? [];
  return revision === undefined || installation === undefined ? null : { revision: Number(revision), installation };
}
