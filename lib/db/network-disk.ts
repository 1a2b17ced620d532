import { statfsSync } from 'node:fs';

/** File systems of other machines, by the type that Linux reports (statfs(2)). */
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
 * The kind of network file system that a directory is on; null on a disk of this machine, and where it cannot be told (FUSE
 * may be either). SQLite's write-ahead log uses memory that the processes of one machine share, and no other machine.
 * @param typeOf the type of a directory's file system
 */
export function networkDisk(
  directory: string,
  typeOf = (path: string): number => statfsSync(path).type,
): string | null {
  try {
    // As a 32-bit number, whatever the platform makes of it.
    return OF_OTHER_MACHINES[typeOf(directory) >>> 0] ?? null;
  } catch {
    return null;
  }
}
