import type { ClientType } from '@/lib/contract/fields/enumerations';

/** What enforcement needs from the OAuth lab. Handed in by the process. */
export interface LabIdentity {
  /** The type of a client; one that is not registered is public. @param origin of the lab */
  clientType(origin: string, id: string): ClientType;
  /** The key and algorithm of the access tokens that the lab signs. @param origin of the lab */
  verificationKey(origin: string): Promise<{ key: CryptoKey; algorithm: string }>;
}
