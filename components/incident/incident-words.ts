/** What an incident does, in a few words; of an audit record, so of any shape. */
export function incidentWords({ mode, factor }: Readonly<Record<string, unknown>>): string {
  if (mode === 'observe') return 'observe only';
  if (mode === 'read_only') return 'read-only';
  return mode === 'factor' ? `all limits × ${String(factor)}` : 'none';
}
