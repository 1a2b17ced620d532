import type { ClientType } from '@/lib/contract/fields/enumerations';

/** What enforcement asks the OAuth lab about a request. Handed in: it knows nothing else of the lab. */
export interface LabIdentity {
  /** The type of a client; one that is not registered is public. @param origin of the lab */
  clientType(origin: string, id: string): ClientType;
  /** The key and algorithm of the access tokens that the lab signs. @param origin of the lab */
  verificationKey(origin: string): Promise<{ key: CryptoKey; algorithm: string }>;
}
