import { Alert } from '@/components/ui/alert';

/** Warns if the trusted proxy ranges include addresses that clients can use. */
export function TrustNote({ ranges }: { ranges: readonly string[] }) {
  if (ranges.length === 0) return null;
  const [shown, more] = [ranges.slice(0, 4), ranges.length - 4];
  return (
    <Alert variant="warning" title="Trusted proxies include public addresses">
      <code className="font-mono">SLUICE_TRUSTED_PROXIES</code> trusts{' '}
      <code className="font-mono break-words">{shown.join(', ')}</code>
      {more > 0 ? ` and ${more} more` : ''}. Anyone who calls from there can choose the address that counts, and avoid
      every limit by address. Name only the addresses of your proxies, and restart Sluice.
    </Alert>
  );
}
