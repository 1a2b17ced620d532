import { useCallback, useState } from 'react';
import { fetchKeys } from '@/components/oauth/token/fetch-keys';
import { usePromised } from '@/components/oauth/token/use-promised';
import type { WorkbenchLab } from '@/components/oauth/token/workbench-lab';
import { type KeysReading, readKeys, readKeysOrSecret, readSecret } from '@/lib/oauth/token/read-keys';

export type KeySource = 'lab' | 'url' | 'keys' | 'secret';

const NONE: KeysReading = { ok: true, keys: [], notes: [] };

/**
 * Source of the verification keys, and the keys. Only `fetchUrl` uses the network. `isShared`: the algorithm takes a
 * shared secret.
 */
export function useKeys(lab: WorkbenchLab | null, issuer: unknown, isShared: boolean) {
  const [chosen, setSource] = useState<KeySource | null>(null);
  const [url, setUrl] = useState('');
  const [fetched, setFetched] = useState<{ url: string; keys: KeysReading } | null>(null);
  const [isFetching, setFetching] = useState(false);
  const [text, setText] = useState('');
  const [secret, setSecret] = useState('');
  const source = chosen ?? (lab !== null && issuer === lab.issuer ? 'lab' : isShared ? 'secret' : 'url');

  const read = useCallback(async (): Promise<KeysReading> => {
    if (source === 'lab') return lab === null ? NONE : readKeys(JSON.stringify(lab.keys));
    if (source === 'url') return fetched?.url === url ? fetched.keys : NONE;
    if (source === 'secret') return secret === '' ? NONE : readSecret(secret);
    return text.trim() === '' ? NONE : readKeysOrSecret(text);
  }, [source, lab, fetched, url, text, secret]);
  const fetchUrl = async () => {
    setFetching(true);
    const keys = await fetchKeys(url);
    setFetched({ url, keys });
    setFetching(false);
  };
  return {
    ...{ source, setSource, url, setUrl, fetchUrl, isFetching, text, setText },
    ...{ secret, setSecret },
    reading: usePromised(read) ?? NONE,
  };
}
export type Keys = ReturnType<typeof useKeys>;
