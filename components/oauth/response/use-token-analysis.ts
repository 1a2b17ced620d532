'use client';

import { useEffect, useState } from 'react';
import { useLab } from '@/components/oauth/lab-context';
import { analyzeToken, type TokenAnalysis } from '@/lib/oauth/builder/analyze-token';

/** What there is to say about a token; null while it is looked at. */
export function useTokenAnalysis(token: string): TokenAnalysis | null {
  const { keys, issuer, audience } = useLab();
  const [analysed, setAnalysed] = useState<{ token: string; analysis: TokenAnalysis } | null>(null);
  useEffect(() => {
    let current = true;
    const context = { now: Date.now(), keys: globalThis.isSecureContext ? keys : null, issuer, audience };
    void analyzeToken(token, context).then((analysis) => {
      if (current) setAnalysed({ token, analysis });
    });
    return () => {
      current = false;
    };
  }, [token, keys, issuer, audience]);
  return analysed?.token === token ? analysed.analysis : null;
}
