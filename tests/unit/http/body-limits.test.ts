import { expect, it } from 'vitest';
import { CONTRACTS } from '@/lib/contract/contracts';
import { getMaxBodyBytes, MAX_BODY_BYTES } from '@/lib/http/body-limits';

it('every operation reads the bodies that the server lets in', () => {
  for (const { path, body } of Object.values(CONTRACTS))
    if (body !== undefined) expect([path, body.limit ?? MAX_BODY_BYTES]).toEqual([path, getMaxBodyBytes(path)]);
});
