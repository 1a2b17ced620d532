import { headers } from 'next/headers';
import { clientAddress } from '@/lib/http/client-address';
import { runtime } from '@/lib/process/runtime';

interface Surroundings {
  /** The address that the server sees the browser under. */
  address: string | null;
  lab: boolean;
  /** What is shown is made up. */
  demo: boolean;
}

/** What the console must know of the installation and of the way this request came. */
export async function readSurroundings(): Promise<Surroundings> {
  const { config } = await runtime();
  const address = clientAddress(await headers(), config)?.text ?? null;
  return { address, lab: config.SLUICE_LAB, demo: config.SLUICE_DEMO };
}
