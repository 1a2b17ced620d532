import { expect, it } from 'vitest';
import { networkDisk } from '@/lib/db/network-disk';

it('a disk of another machine is told by its type, also where it is a negative number', () => {
  expect(networkDisk('/', () => 0x6969)).toBe('NFS');
  expect(networkDisk('/', () => 0xff534d42 - 2 ** 32)).toBe('SMB');
  expect(networkDisk('/', () => 0xef53)).toBeNull();
  expect(networkDisk('/proc')).toBeNull();
  expect(networkDisk('/there/is/no/such/directory')).toBeNull();
});
