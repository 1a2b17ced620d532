'use client';

import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { DecryptCard } from '@/components/oauth/token/decrypt-card';
import { TokenInput } from '@/components/oauth/token/token-input';
import { UnreadableToken } from '@/components/oauth/token/unreadable-token';
import { Workbench } from '@/components/oauth/token/workbench';
import { WorkbenchGuide } from '@/components/oauth/token/workbench-guide';
import type { WorkbenchLab } from '@/components/oauth/token/workbench-lab';
import { PageHeader } from '@/components/shell/page-header';
import { findTokens } from '@/lib/oauth/token/find-tokens';
import { readToken } from '@/lib/oauth/token/read-token';

/** Decodes a token, judges it and forges others from it, all in the browser. */
export function WorkbenchPage({ lab }: { lab: WorkbenchLab | null }) {
  const [pasted, setPasted] = useState('');
  const [selected, setSelected] = useState(0);
  const paste = useCallback((text: string) => {
    setPasted(text);
    setSelected(0);
  }, []);
  useTokenInFragment(paste);
  const found = useMemo(() => findTokens(pasted), [pasted]);
  const token = useDeferredValue(found.tokens[selected]?.token ?? null);
  const [payload, setPayload] = useState<{ token: string; text: string } | null>(null);
  const decrypted = payload !== null && payload.token === token ? payload.text : null;
  const reading = useMemo(() => (token === null ? null : readToken(token, decrypted)), [token, decrypted]);
  return (
    <div data-wide className="flex flex-col gap-5">
      <PageHeader
        title="Token workbench"
        description="Read, verify, judge and forge JSON Web Tokens. What you paste stays in this browser."
      />
      <TokenInput
        pasted={pasted}
        onPaste={paste}
        found={found}
        selected={selected}
        onSelect={setSelected}
        hasLab={lab !== null}
      />
      {reading === null ? <WorkbenchGuide /> : null}
      {reading === null || reading.kind === 'signed' ? null : (
        <UnreadableToken reading={reading}>
          {token === null ? null : <DecryptCard key={token} token={token} onOpen={paste} />}
        </UnreadableToken>
      )}
      {reading?.kind === 'signed' ? (
        <Workbench
          reading={reading}
          lab={lab}
          onOpen={paste}
          onPayload={(text) => setPayload({ token: reading.token, text })}
        />
      ) : null}
    </div>
  );
}

/** Removes `#token=` from the URL, which browsers never send to a server, and passes it on. */
function useTokenInFragment(onToken: (token: string) => void): void {
  useEffect(() => {
    const takeTokenFromHash = () => {
      const token = new URLSearchParams(window.location.hash.slice(1)).get('token');
      if (token === null) return;
      window.history.replaceState(null, '', window.location.pathname + window.location.search);
      onToken(token);
    };
    takeTokenFromHash();
    window.addEventListener('hashchange', takeTokenFromHash);
    return () => window.removeEventListener('hashchange', takeTokenFromHash);
  }, [onToken]);
}
