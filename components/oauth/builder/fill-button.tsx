'use client';

import { base64url } from 'jose';
import { toast } from 'sonner';
import type { RequestField } from '@/components/oauth/builder/request-fields';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { Button } from '@/components/ui/button';

/** Unpredictable text of 43 characters, base64url: enough for a state and for a verifier (RFC 7636 section 4.1). */
export function randomText(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
}

/** A verifier and its S256 challenge (RFC 7636 section 4.2); null on insecure pages, where browsers offer no cryptography. */
export async function pkcePair(): Promise<{ verifier: string; challenge: string } | null> {
  if (!globalThis.isSecureContext) return null;
  const verifier = randomText();
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return { verifier, challenge: base64url.encode(new Uint8Array(digest)) };
}

/** The button that fills in a parameter. */
export function FillButton({ name, fill: { label, from } }: { name: string; fill: NonNullable<RequestField['fill']> }) {
  const { state, fill } = useBuilder();
  const { tab, latest } = state;
  const generatePair = async () => {
    const pair = await pkcePair();
    if (pair) fill(tab, { code_challenge: pair.challenge, code_challenge_method: 'S256' }, { verifier: pair.verifier });
    else toast.error('This page has no cryptography', { description: 'Open it over https or on localhost.' });
  };
  const value = from === 'random' || from === 'pkce' ? null : latest[from];
  return (
    <Button
      variant="outline"
      onClick={() => (from === 'pkce' ? void generatePair() : fill(tab, { [name]: value ?? randomText() }))}
      disabled={value === ''}
      title={value === '' ? 'Nothing to fill in yet' : undefined}
    >
      {label}
    </Button>
  );
}
