import { useSyncExternalStore } from 'react';
import { Alert } from '@/components/ui/alert';

const never = () => () => undefined;

/**
 * Warns that the browser uses an origin that Sluice does not recognise, so that sign-in would be refused.
 * @param origins that Sluice recognises
 */
export function OriginNotice({ origins }: { origins: readonly string[] }) {
  const origin = useSyncExternalStore(
    never,
    () => window.location.origin,
    () => null,
  );
  if (origin === null || origins.includes(origin)) return null;
  return (
    <Alert variant="warning" title="Sluice does not know this address">
      This page was reached as <b className="break-words">{origin}</b>, but Sluice sees{' '}
      <b className="break-words">{origins[0]}</b>. Set <code>SLUICE_PUBLIC_URL</code> to{' '}
      <span className="break-words">{origin}</span>, or <code>SLUICE_TRUSTED_PROXIES</code> to the address of your
      proxy, and restart Sluice.
    </Alert>
  );
}
