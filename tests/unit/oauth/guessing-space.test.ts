import { expect, test } from 'vitest';
import { estimateSecretBits } from '@/lib/oauth/controls/guessing-space';

test.each(['wmLFfjxbUXkhbLrUwRWzruIubMXFWmqS', 'qzvkxwpljhmtrbnsdfgcqzvkxwplj', 'f47ac10b58cc4372a5670e02b2c3d479'])(
  '%s is a random secret',
  (secret) => {
    expect(estimateSecretBits(secret)).toBeGreaterThan(112);
  },
);

test.each(['correct horse battery staple horse', 'CorrectHorseBatteryStaple', '0123456789', ''])(
  '%s is no random secret',
  (secret) => {
    expect(estimateSecretBits(secret)).toBeLessThan(112);
  },
);
