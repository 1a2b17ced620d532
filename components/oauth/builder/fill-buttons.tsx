'use client';

import { toast } from 'sonner';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { Button } from '@/components/ui/button';

/** Unpredictable text of 43 characters, base64url: enough for a state and for a verifier (RFC 7636 section 4.1). */
export function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

/**
 * A verifier and its S256 challenge (RFC 7636 section 4.2), or null where the browser has no cryptography: it only gives
 * it to pages that came over https or from this machine.
 */
export async function pkcePair(): Promise<{ verifier: string; challenge: string } | null> {
  if (!globalThis.isSecureContext) return null;
  const verifier = randomText();
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return { verifier, challenge: base64url(new Uint8Array(digest)) };
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

function Fill({ children, onClick, missing }: { children: string; onClick: () => void; missing?: boolean }) {
  return (
    <Button
      variant="outline"
      onClick={onClick}
      disabled={missing}
      title={missing ? 'Nothing to fill in yet' : undefined}
    >
      {children}
    </Button>
  );
}

/** The buttons that fill in a parameter: generated, or from what the flow has brought so far. */
export function FillButtons({ name }: { name: string }) {
  const { state, dispatch } = useBuilder();
  const { tab, latest } = state;
  const fill = (fields: Record<string, string>) => dispatch({ type: 'fill', tab, fields });
  const generatePair = async () => {
    const pair = await pkcePair();
    if (!pair) {
      toast.error('This page has no cryptography', { description: 'Open it over https or on localhost.' });
      return;
    }
    dispatch({ type: 'keep', latest: { verifier: pair.verifier } });
    fill({ code_challenge: pair.challenge, code_challenge_method: 'S256' });
  };
  if (name === 'state' && tab === 'authorize') {
    return <Fill onClick={() => fill({ state: randomText() })}>Generate</Fill>;
  }
  if (name === 'nonce') return <Fill onClick={() => fill({ nonce: randomText() })}>Generate</Fill>;
  if (name === 'code_challenge') return <Fill onClick={() => void generatePair()}>Generate pair</Fill>;
  if (tab !== 'token') return null;
  const kept = { code: latest.code, code_verifier: latest.verifier, refresh_token: latest.refreshToken };
  const labels = { code: 'Last code', code_verifier: 'Last verifier', refresh_token: 'Last refresh token' };
  if (name !== 'code' && name !== 'code_verifier' && name !== 'refresh_token') return null;
  return (
    <Fill missing={kept[name] === ''} onClick={() => fill({ [name]: kept[name] })}>
      {labels[name]}
    </Fill>
  );
}
