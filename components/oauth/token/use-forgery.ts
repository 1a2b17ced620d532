import { useCallback, useMemo, useState } from 'react';
import { readMembers } from '@/components/oauth/token/json-editor';
import { usePromised } from '@/components/oauth/token/use-promised';
import type { JsonObject } from '@/lib/json';
import { findAlgorithm } from '@/lib/oauth/token/algorithms';
import { FORGERIES, type Forgery, type Signing, SPELLINGS_OF_NONE } from '@/lib/oauth/token/forgeries';
import { formatJson } from '@/lib/oauth/token/format-json';
import type { KeyToVerify } from '@/lib/oauth/token/read-keys';
import type { SignedToken, TokenPart } from '@/lib/oauth/token/read-token';
import { generateThrowAwayKey, signToken } from '@/lib/oauth/token/sign-token';
import { listKeyTexts } from '@/lib/oauth/token/verify-signature';

const DEFAULT_ALGORITHM = 'ES256';
/** Writes changed members. A payload that is nested too deep stays unchanged. */
function formatMembers(members: JsonObject, part: TokenPart): string {
  try {
    return JSON.stringify(members, null, 2);
  } catch {
    return formatPart(part);
  }
}

/** Writes a part as it is in the token, with all digits of its numbers. */
const formatPart = ({ members, text }: TokenPart) => (members === null || text === null ? '{}' : formatJson(text, 2));

/** State of a forgery: the token's parts as JSON, its signing options, and the result. */
export function useForgery(reading: SignedToken, keys: readonly KeyToVerify[]) {
  const genuine = { header: reading.header.members ?? {}, payload: reading.payload.members ?? {} };
  const algorithm = findAlgorithm(genuine.header.alg);
  const [state, setState] = useState({
    forgery: null as Forgery | null,
    header: formatPart(reading.header),
    payload: formatPart(reading.payload),
    signing: 'key' as Signing,
    alg: algorithm?.kty === 'oct' ? DEFAULT_ALGORITHM : (algorithm?.name ?? DEFAULT_ALGORITHM),
    embedKey: false,
    none: SPELLINGS_OF_NONE[0] as string,
    hmac: 'HS256',
    secret: '',
    /** Adds a line break to the public key when it is used as a secret. */
    lineBreak: true,
  });
  const change = (changes: Partial<typeof state>) => setState((before) => ({ ...before, ...changes }));
  const play = (id: string) => {
    const forgery = FORGERIES.find((each) => each.id === id) ?? null;
    const { header, payload } = reading;
    const parts = forgery?.change(genuine, Date.now());
    change({
      forgery,
      header: parts === undefined ? formatPart(header) : formatMembers(parts.header, header),
      payload: parts === undefined ? formatPart(payload) : formatMembers(parts.payload, payload),
      ...{ signing: forgery?.signing ?? 'key', embedKey: forgery?.embedKey ?? false },
    });
  };

  const { header, payload, signing, alg, embedKey, none, hmac, secret, lineBreak } = state;
  const key = usePromised(
    useCallback(async () => ({ made: signing === 'key' ? await generateThrowAwayKey(alg) : null }), [signing, alg]),
  );
  const publicKey = keys.find(({ kty }) => kty !== 'oct');
  const publicTexts = usePromised(
    useCallback(async () => (publicKey === undefined ? [] : listKeyTexts(publicKey)), [publicKey]),
  );
  const publicText = publicTexts?.[lineBreak ? 1 : 0] ?? '';
  const parts = useMemo(() => {
    const [read, claims] = [readMembers(header), readMembers(payload)];
    return read.members === null || claims.members === null
      ? null
      : { header: read.members, payload: claims.members, payloadText: formatJson(payload, 0) };
  }, [header, payload]);
  const sign = useCallback(async () => {
    if (parts === null || key === null) return null;
    return signToken(signing, parts, {
      ...{ key: key.made, embedKey, hmac, none, signature: reading.signature.encoded },
      secret: new TextEncoder().encode(signing === 'confusion' ? publicText : secret),
    });
  }, [parts, key, signing, embedKey, hmac, none, reading, publicText, secret]);
  return { state, change, play, result: usePromised(sign), publicJwk: key?.made?.publicJwk ?? null };
}
export type ForgeryInProgress = ReturnType<typeof useForgery>;
