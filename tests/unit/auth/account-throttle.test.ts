import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { changeOwnPassword } from '@/lib/admin/session/change-password';
import { authenticateMember } from '@/lib/auth/authenticate-member';
import { DEVICE_LIFETIME, issueDeviceCookie, readDeviceCookie } from '@/lib/auth/device-cookie';
import { readSession } from '@/lib/auth/session';
import {
  beginSignIn,
  clearFailedSignIns,
  FAILURES_PER_ACCOUNT,
  FREE_FAILURES,
  LONGEST_WAIT,
} from '@/lib/auth/sign-in-throttle';
import { MemoryCounters } from '@/lib/counters/memory/store';
import { type AuthServices, authServices, servicesOn } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';

const ADA = 'ada@example.com';
const PASSWORD = 'correct horse battery staple';
const DAY = 86_400_000;

let auth: AuthServices;
let ada: { id: string };
let strangers = 0;

beforeEach(async () => {
  auth = await authServices();
  ada = await auth.member(ADA, 'owner', PASSWORD);
  onTestFinished(() => auth[Symbol.dispose]());
});

/** A try from an address that nobody has used before. */
function begin(account = ADA, services = auth.services) {
  strangers += 1;
  return beginSignIn(services, account, {
    address: `10.${(strangers >> 16) & 255}.${(strangers >> 8) & 255}.${strangers & 255}`,
    knownBrowser: null,
  });
}

/** Tries as a botnet does, at once whenever it may, until so many tries were let through. */
async function attack(tries: number, account = ADA): Promise<number[]> {
  const waits: number[] = [];
  for (let done = 0; done < tries; ) {
    const wait = await begin(account);
    if (wait === null) done += 1;
    else {
      waits.push(wait);
      auth.pass(wait * 1000);
    }
  }
  return waits;
}

describe('failed sign-ins on one account from many addresses', () => {
  it('wait longer each time after the tenth: 2 s, 4 s, 8 s, and 15 minutes at most', async () => {
    for (let i = 0; i < FREE_FAILURES; i += 1) expect(await begin()).toBeNull();
    const waits = await attack(12);
    const wanted = [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900];
    expect(waits).toHaveLength(wanted.length);
    for (const [index, wait] of waits.entries()) {
      const least = wanted[index] ?? 0;
      expect(wait).toBeGreaterThanOrEqual(least);
      expect(wait).toBeLessThanOrEqual(least + Math.ceil(least / 60) + 1);
    }
  });

  it('are some 120 a day, however many addresses and however long it lasts', async () => {
    const services = { ...auth.services, counters: new MemoryCounters({ clock: auth.services.clock }) };
    const admitted: number[] = [];
    const end = auth.services.clock() + 4 * DAY;
    for (let now = auth.services.clock(); now < end; now = auth.services.clock()) {
      const wait = await begin(ADA, services);
      if (wait === null) admitted.push(now);
      // A pause of a day and a half in the middle: what has decayed does not make up for it.
      else auth.pass(admitted.length === 150 ? DAY * 1.5 : wait * 1000);
    }
    const busiest = Math.max(...admitted.map((from) => admitted.filter((at) => at >= from && at < from + DAY).length));
    expect(busiest).toBeGreaterThan(FREE_FAILURES);
    expect(busiest).toBeLessThan(130);
  });

  it('are forgotten after a day', async () => {
    await attack(FREE_FAILURES + 8);
    auth.pass(DAY * 1.02);
    for (let i = 0; i < FREE_FAILURES; i += 1) expect(await begin()).toBeNull();
    expect(await begin()).not.toBeNull();
  });

  it('are forgotten with the right password', async () => {
    await attack(FREE_FAILURES + 3);
    await clearFailedSignIns(auth.services, ADA, { address: '192.0.2.1', knownBrowser: null });
    for (let i = 0; i < FREE_FAILURES; i += 1) expect(await begin()).toBeNull();
  });

  it('are counted by all processes together, side by side and over a restart', async () => {
    const other = await servicesOn(auth.file.reopen(), {}, auth.services.clock);
    const first = await Promise.all(
      Array.from({ length: 40 }, (_, i) => begin(ADA, i % 2 === 0 ? auth.services : other)),
    );
    expect(first.filter((wait) => wait === null)).toHaveLength(FREE_FAILURES);
    auth.pass(5_000);
    const second = await Promise.all(
      Array.from({ length: 40 }, (_, i) => begin(ADA, i % 2 === 0 ? auth.services : other)),
    );
    expect(second.filter((wait) => wait === null)).toHaveLength(1);
    const restarted = await servicesOn(auth.file.reopen(), {}, auth.services.clock);
    expect(await begin(ADA, restarted)).toBeGreaterThanOrEqual(4);
  });

  it('leave other accounts alone, and are the same on accounts that do not exist', async () => {
    await attack(FREE_FAILURES + 5);
    expect(await begin('bob@example.com')).toBeNull();
    const fail = async (email: string) => {
      const kinds: string[] = [];
      for (let i = 0; i < FREE_FAILURES + 2; i += 1) {
        const source = { address: `192.0.2.${i}` };
        kinds.push((await authenticateMember(auth.services, { email, password: 'wrong' }, source)).kind);
      }
      return kinds;
    };
    await auth.member('dan@example.com', 'viewer', PASSWORD);
    const unknown = await fail('nobody@example.com');
    expect(unknown.slice(FREE_FAILURES - 1)).toEqual(['wrong', 'locked', 'locked']);
    expect(await fail('dan@example.com')).toEqual(unknown);
  });

  it('fill no store with made-up accounts', async () => {
    for (let i = 0; i < 50; i += 1) await begin(`made-up-${i}@example.com`);
    const keys = await auth.services.counters.listKeys('signin|all|', 1_000);
    expect(keys.length).toBeGreaterThan(40);
    for (const key of keys) {
      const bucket = Number(/^signin\|all\|(\d+)\|86400$/.exec(key)?.[1]);
      expect(bucket).toBeGreaterThanOrEqual(0);
      expect(bucket).toBeLessThan(262_144);
    }
  });
});

describe('the owner of an account under attack', () => {
  it('comes in at once with a browser that has signed in before, and with no other', async () => {
    const browser = new BrowserJar(auth.services);
    expect((await browser.signIn(ADA, PASSWORD)).status).toBe(200);
    await browser.signOut();
    await attack(FREE_FAILURES + 12);
    expect(await begin()).toBeGreaterThan(LONGEST_WAIT - 1);
    expect((await new BrowserJar(auth.services).signIn(ADA, PASSWORD)).status).toBe(429);
    expect((await browser.signIn(ADA, PASSWORD)).status).toBe(200);
    // What strangers have done is not forgotten by it.
    expect(await begin()).not.toBeNull();
  });

  it('has ten failures with that browser too, which count for nobody else', async () => {
    const browser = new BrowserJar(auth.services);
    await browser.signIn(ADA, PASSWORD);
    for (let i = 0; i < FAILURES_PER_ACCOUNT; i += 1) expect((await browser.signIn(ADA, 'wrong')).status).toBe(401);
    expect((await browser.signIn(ADA, PASSWORD)).status).toBe(429);
    expect((await new BrowserJar(auth.services).signIn(ADA, PASSWORD)).status).toBe(200);
  });

  it('stays signed in, and can take a new password', async () => {
    const browser = new BrowserJar(auth.services);
    await browser.signIn(ADA, PASSWORD);
    await attack(FREE_FAILURES + 12);
    expect(await readSession(browser.cookieHeader, auth.services)).toMatchObject({ email: ADA });
    const system = auth.context();
    const context = {
      ...system,
      actor: { id: `member:${ada.id}`, name: ADA, role: 'owner' as const },
      facts: { ...system.facts, session: () => readSession(browser.cookieHeader, auth.services) },
    };
    const body = { current_password: PASSWORD, new_password: 'another new password' };
    await changeOwnPassword.run(context, { params: {}, query: {}, body });
    expect((await browser.signIn(ADA, 'another new password')).status).toBe(200);
  });
});

describe('a device cookie', () => {
  const read = (value: string | null, account = ADA, now = auth.services.clock()) =>
    readDeviceCookie(value, account, { authSecret: auth.services.authSecret, now });

  it('is known for 180 days, for its account alone, and only as it was made', () => {
    const value = issueDeviceCookie(ADA, auth.services);
    expect(read(value)).toMatch(/^[\w-]{22}$/);
    expect(read(value, 'bob@example.com')).toBeNull();
    expect(read(value, ADA, auth.services.clock() + DEVICE_LIFETIME * 1000 - 1)).not.toBeNull();
    expect(read(value, ADA, auth.services.clock() + DEVICE_LIFETIME * 1000)).toBeNull();
    expect(read(issueDeviceCookie(ADA, { ...auth.services, authSecret: 'another secret' }))).toBeNull();
    for (const at of [0, 23, value.length - 3]) {
      const other = value.charAt(at) === '1' ? '2' : '1';
      expect(read(value.slice(0, at) + other + value.slice(at + 1))).toBeNull();
    }
    for (const none of [null, '', 'a.b.c', `${value}=`, ` ${value}`, value.slice(1)]) expect(read(none)).toBeNull();
  });

  it('goes to sign-ins alone, and no script reads it', async () => {
    const plain = await new BrowserJar(auth.services).signIn(ADA, PASSWORD);
    const cookie = plain.headers.getSetCookie().find((header) => header.startsWith('sluice.device='));
    expect(cookie).toMatch(/; Path=\/api\/auth; Max-Age=15552000; HttpOnly; SameSite=Lax$/);
    const secure = await servicesOn(
      auth.file.database,
      { SLUICE_PUBLIC_URL: 'https://sluice.example' },
      auth.services.clock,
    );
    const https = await new BrowserJar(secure).signIn(ADA, PASSWORD);
    expect(https.headers.getSetCookie().join('\n')).toMatch(/__Secure-sluice\.device=[^;]+; .*; Secure$/m);
  });

  it('is not given to anyone who fails', async () => {
    const refused = await new BrowserJar(auth.services).signIn(ADA, 'wrong');
    expect(refused.headers.getSetCookie().join()).not.toContain('sluice.device');
  });
});
