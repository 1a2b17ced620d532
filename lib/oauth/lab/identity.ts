import { findClient } from '@/lib/oauth/lab/clients';
import type { LabServices } from '@/lib/oauth/lab/services';
import { SIGNING_ALGORITHM, signingKey } from '@/lib/oauth/lab/signing-key';

/** The lab as enforcement sees it: who a client is, and how an access token is verified. */
export function labIdentity(lab: Omit<LabServices, 'origin'>) {
  return {
    clientType(origin: string, id: string): 'public' | 'confidential' {
      const secret = findClient(origin, id)?.secret ?? null;
      return secret === null ? 'public' : 'confidential';
    },
    async verificationKey(origin: string): Promise<{ key: CryptoKey; algorithm: string }> {
      const { publicKey } = await signingKey({ ...lab, origin });
      return { key: publicKey, algorithm: SIGNING_ALGORITHM };
    },
  };
}
