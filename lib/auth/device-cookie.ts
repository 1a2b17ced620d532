import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AuthServices } from '@/lib/auth/state';
import { decodeBase64url } from '@/lib/http/base64';
import type { Millis, Seconds } from '@/lib/units';

/** Lifetime of a device cookie after a sign-in: 180 days. */
export const DEVICE_LIFETIME: Seconds = 180 * 86_400;

const COOKIE = /^([\w-]{22})\.([0-9a-z]{8,10})\.([\w-]{43})$/;

/** Returns the name of the device cookie, for https if `secure`, else for http. */
export function chooseDeviceCookieName(secure: boolean): string {
  return secure ? '__Secure-sluice.device' : 'sluice.device';
}

/**
 * Issues the value of a device cookie (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). It proves that
 * this browser has signed in to this account before, and grants no access. Its sign-ins are counted separately from
 * those of other browsers, so attackers cannot lock the owner out.
 *
 * @param account canonical e-mail; the value does not contain it
 */
export function issueDeviceCookie(
  account: string,
  { authSecret, clock, randomBytes }: Pick<AuthServices, 'authSecret' | 'clock' | 'randomBytes'>,
): string {
  const id = Buffer.from(randomBytes(16)).toString('base64url');
  const expires = (clock() + DEVICE_LIFETIME * 1000).toString(36);
  return `${id}.${expires}.${computeSignature(account, id, expires, authSecret).toString('base64url')}`;
}

/** Returns the device id in a cookie. Returns null if the cookie is forged, expired or of another account. */
export function readDeviceCookie(
  value: string | null,
  account: string,
  { authSecret, now }: { authSecret: string; now: Millis },
): string | null {
  const [, id, expires, mac] = COOKIE.exec(value ?? '') ?? [];
  if (id === undefined || expires === undefined || mac === undefined) return null;
  const signature = decodeBase64url(mac);
  if (signature === null || !timingSafeEqual(computeSignature(account, id, expires, authSecret), signature))
    return null;
  return Number.parseInt(expires, 36) > now ? id : null;
}

function computeSignature(account: string, id: string, expires: string, authSecret: string): Buffer {
  const signed = JSON.stringify(['sluice.device', account, id, expires]);
  return createHmac('sha256', authSecret).update(signed).digest();
}
