/** Describes an incident briefly. Audit records may hold any shape, so every field is optional. */
export function describeIncident({ mode, factor }: Readonly<Record<string, unknown>>): string {
  if (mode === 'observe') return 'observe only';
  if (mode === 'read_only') return 'read-only';
  return mode === 'factor' ? `all limits × ${String(factor)}` : 'none';
}
