'use client';

import { createContext, type ReactNode, useContext } from 'react';

const AddressContext = createContext<string | null>(null);

export function ClientAddressProvider({ address, children }: { address: string | null; children: ReactNode }) {
  return <AddressContext value={address}>{children}</AddressContext>;
}

/** The address that the server sees this browser under, in canonical form; null when it does not know. */
export function useClientAddress(): string | null {
  return useContext(AddressContext);
}
