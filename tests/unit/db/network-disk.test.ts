import { expect, it } from 'vitest';
import { detectNetworkDisk } from '@/lib/db/network-disk';

it('a disk of another machine is told by its type, also where it is a negative number', () => {
  expect(detectNetworkDisk('/', () => 0x6969)).toBe('NFS');
  expect(detectNetworkDisk('/', () => 0xff534d42 - 2 ** 32)).toBe('SMB');
  expect(detectNetworkDisk('/', () => 0xef53)).toBeNull();
  expect(detectNetworkDisk('/proc')).toBeNull();
  expect(detectNetworkDisk('/there/is/no/such/directory')).toBeNull();
});
