import { useEffect, useRef } from 'react';
import { keepDraft, readDraft } from '@/components/form/draft/stored-drafts';
import { useMember } from '@/components/shell/member';
import { ClientEnvironment, removeSecrets } from '@/lib/oauth/client/environment';

/** Stores the edited environment, without secrets, while the member visits other pages. */
export function useEnvironmentDraft(
  environment: ClientEnvironment,
  /** Receives the draft. Null if the page was opened by a link. */
  restore: ((draft: ClientEnvironment) => void) | null,
): void {
  const name = `${useMember().id} oauth-client`;
  const first = useRef(environment);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens
  useEffect(() => {
    const draft = ClientEnvironment.safeParse(readDraft(name)?.draft);
    if (draft.success) restore?.(removeSecrets(draft.data));
  }, []);
  useEffect(() => {
    if (environment === first.current) return;
    keepDraft(name, { at: new Date().toISOString(), before: {}, draft: removeSecrets(environment) });
  }, [name, environment]);
}
