import { statfsSync } from 'node:fs';

/** Network file systems, by the type that Linux reports (statfs(2)). */
const OF_OTHER_MACHINES: Readonly<Record<number, string>> = {
  26985: 'NFS',
  4283649346: 'SMB',
  4266872130: 'SMB',
  20859: 'SMB',
  12805120: 'CephFS',
  198183888: 'Lustre',
  1397113167: 'AFS',
  16914839: '9P',
  1196443219: 'GPFS',
};

/**
 * Returns the kind of network file system of a directory, because SQLite's write-ahead log needs memory that only the
 * processes of one machine share. Returns null for a disk of this machine, and if the kind cannot be determined (FUSE
 * may be either).
 * @param typeOf returns the type of a directory's file system
 */
export function detectNetworkDisk(
  directory: string,
  typeOf = (path: string): number => statfsSync(path).type,
): string | null {
  try {
    // The type is compared as a 32-bit number, because platforms differ in its sign.
    return OF_OTHER_MACHINES[typeOf(directory) >>> 0] ?? null;
  } catch {
    return null;
  }
}
