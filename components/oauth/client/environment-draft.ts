import { useEffect, useRef } from 'react';
import { keepDraft, readDraft } from '@/components/form/stored-drafts';
import { useMember } from '@/components/shell/member';
import { ClientEnvironment, withoutSecrets } from '@/lib/oauth/client/environment';

/** Keeps the environment that is filled in, without secrets, while its person is elsewhere in the console. */
export function useEnvironmentDraft(
  environment: ClientEnvironment,
  /** Takes the draft; null where the page starts from a link. */
  restore: ((draft: ClientEnvironment) => void) | null,
): void {
  const name = `${useMember().id} oauth-client`;
  const first = useRef(environment);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens
  useEffect(() => {
    const kept = ClientEnvironment.safeParse(readDraft(name)?.draft);
    if (kept.success) restore?.(withoutSecrets(kept.data));
  }, []);
  useEffect(() => {
    if (environment === first.current) return;
    keepDraft(name, { at: new Date().toISOString(), before: {}, draft: withoutSecrets(environment) });
  }, [name, environment]);
}
