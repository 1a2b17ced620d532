import { headers } from 'next/headers';
import { clientAddress } from '@/lib/http/client-address';
import { runtime } from '@/lib/runtime';

/** What the console must know of the installation and of the way this request came. */
export async function readSurroundings(): Promise<{ address: string | null; lab: boolean }> {
  const { config } = await runtime();
  return { address: clientAddress(await headers(), config)?.text ?? null, lab: config.SLUICE_LAB };
}
