import { describe, expect, it } from 'vitest';
import { GlobalThrottle } from '@/lib/enforcement/instance-throttle';

const START = Date.UTC(2026, 10, 20);

describe('the global throttle', () => {
  it('takes in the limit a second and says when the next one fits', () => {
    const throttle = new GlobalThrottle();
    for (let i = 0; i < 1000; i++) expect(throttle.take(1000, 1, START).retryAt).toBeNull();
    const refused = throttle.take(1000, 1, START + 1);
    expect(refused).toMatchObject({ used: 1000 });
    expect(throttle.take(1000, 1, refused.retryAt! - 1).retryAt).toBe(refused.retryAt);
    expect(throttle.take(1000, 1, refused.retryAt!)).toMatchObject({ used: 1, retryAt: null });
    expect(refused.retryAt! - START).toBeLessThanOrEqual(1018);
  });

  it('follows a changed limit at once, and starts over with another window', () => {
    const throttle = new GlobalThrottle();
    throttle.take(1, 1, START);
    expect(throttle.take(1, 1, START).retryAt).not.toBeNull();
    expect(throttle.take(2, 1, START).retryAt).toBeNull();
    expect(throttle.take(1, 10, START)).toMatchObject({ used: 1, retryAt: null });
  });

  it('refuses everything under a limit of 0', () => {
    expect(new GlobalThrottle().take(0, 1, START)).toMatchObject({ used: 0, retryAt: Number.POSITIVE_INFINITY });
  });

  it('opens no room when the clock steps back, and says when there will be some', () => {
    const throttle = new GlobalThrottle();
    for (let i = 0; i < 10; i++) throttle.take(10, 60, START);
    const refused = throttle.take(10, 60, START - 1_100);
    expect(refused).toMatchObject({ used: 10, retryAt: START - 2_000 + 61_000 });
    expect(throttle.take(10, 60, refused.retryAt! - 1).retryAt).toBe(refused.retryAt);
    expect(throttle.take(10, 60, refused.retryAt!).retryAt).toBeNull();
  });

  it('takes back what was admitted before the clock stepped back, and never more', () => {
    const throttle = new GlobalThrottle();
    for (let i = 0; i < 3; i++) throttle.take(5, 60, START);
    throttle.take(5, 60, START - 5_000);
    throttle.undoAdmissions(3, 60, START, START - 3_000);
    expect(throttle.take(5, 60, START - 3_000)).toMatchObject({ used: 2 });
    throttle.undoAdmissions(9, 60, START, START - 3_000);
    expect(throttle.take(5, 60, START + 50_000)).toMatchObject({ used: 1 });
  });

  it('takes back from the slot in which it was counted', () => {
    const throttle = new GlobalThrottle();
    for (let i = 0; i < 2; i++) throttle.take(5, 60, START);
    throttle.take(5, 60, START + 10_000);
    throttle.undoAdmissions(2, 60, START, START + 10_000);
    expect(throttle.take(5, 60, START + 10_000)).toMatchObject({ used: 2 });
    throttle.undoAdmissions(1, 60, START + 10_000, START + 10_000 + 60_999);
    expect(throttle.take(5, 60, START + 10_000 + 60_999)).toMatchObject({ used: 2 });
  });

  it('takes back what was admitted for nothing, and no more than that', () => {
    const throttle = new GlobalThrottle();
    for (let i = 0; i < 3; i++) throttle.take(3, 1, START);
    throttle.undoAdmissions(2, 1, START, START + 10);
    expect(throttle.take(3, 1, START + 10)).toMatchObject({ used: 2, retryAt: null });
    throttle.undoAdmissions(2, 10, START, START + 10);
    expect(throttle.take(3, 1, START + 10)).toMatchObject({ used: 3 });
    throttle.undoAdmissions(3, 1, START, START + 5_000);
    expect(throttle.take(3, 1, START + 5_000)).toMatchObject({ used: 1 });
  });

  it('tells when one more fits under a limit that was lowered', () => {
    const throttle = new GlobalThrottle();
    for (const at of [START, START + 1_000, START + 2_000]) throttle.take(3, 60, at);
    expect(throttle.take(3, 60, START + 3_000).retryAt).toBe(START + 61_000);
    expect(throttle.take(2, 60, START + 3_000).retryAt).toBe(START + 62_000);
    expect(throttle.take(1, 60, START + 3_000).retryAt).toBe(START + 63_000);
  });

  it('gives back to the slot that it took from, whatever was taken since', () => {
    const throttle = new GlobalThrottle();
    for (let i = 0; i < 3; i++) throttle.take(10, 60, START);
    for (let i = 0; i < 4; i++) throttle.take(10, 60, START + 30_000);
    throttle.undoAdmissions(2, 60, START, START + 30_000);
    expect(throttle.take(10, 60, START + 30_000)).toMatchObject({ used: 6 });
    // The one of the first slot that is left leaves with it.
    expect(throttle.take(10, 60, START + 61_000)).toMatchObject({ used: 6 });
  });

  it('gives back as long as the window sees the slot, and not after', () => {
    const taken = () => {
      const throttle = new GlobalThrottle();
      for (const at of [START, START + 60_000]) throttle.take(10, 60, at);
      return throttle;
    };
    const stillSeen = taken();
    stillSeen.undoAdmissions(1, 60, START, START + 60_999);
    expect(stillSeen.take(10, 60, START + 60_999)).toMatchObject({ used: 2 });
    const gone = taken();
    gone.undoAdmissions(1, 60, START, START + 61_000);
    expect(gone.take(10, 60, START + 61_000)).toMatchObject({ used: 2 });
  });

  it('is not touched by giving back nothing', () => {
    const throttle = new GlobalThrottle();
    throttle.take(10, 60, START);
    throttle.undoAdmissions(0, 60, START + 90_000, START + 90_000);
    expect(throttle.take(10, 60, START + 1_000)).toMatchObject({ used: 2 });
  });

  it('forgets what was counted under another length of the window', () => {
    const throttle = new GlobalThrottle();
    throttle.take(10, 60, START);
    expect(throttle.take(10, 30, START)).toMatchObject({ used: 1 });
    throttle.undoAdmissions(1, 60, START, START);
    expect(throttle.take(10, 30, START)).toMatchObject({ used: 2 });
    expect(throttle.take(10, 60, START)).toMatchObject({ used: 1 });
  });
});
