import type { Tries } from '@/lib/oauth/controls/control';

/** Returns whether an address is on the user's machine (RFC 8252 section 7.3). */
export const isLoopback = (url: string): boolean => /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])[:/]/i.test(url);

/** Addresses that were taken for a registered one, with the advisory of a server that took them. */
export const LOOK_ALIKES = {
  'another host': 'CVE-2025-4143',
  'a dot of the host replaced': 'CVE-2024-52289',
  'a host that begins with the registered one': 'keycloak/keycloak#48430',
  'a host that ends with the registered one': 'RFC 9700 4.1.1',
  'a subdomain': 'RFC 9700 4.1.1',
  'another subdomain': 'RFC 9700 4.1.1',
  'the host with www': 'RFC 9700 4.1.1',
  'another port': 'CVE-2020-15233',
  'user information': 'CVE-2023-6291',
  'the registered host as user information': 'CVE-2026-28512',
  'several @ before another host': 'CVE-2026-7504',
  'the registered address in the path of another host': 'RFC 9700 4.1.3',
  'the registered address in the query of another host': 'RFC 9700 4.1.3',
  'the parent path': 'RFC 9700 4.1.3',
  'an added path': 'RFC 9700 4.1.3',
  'an added query': 'RFC 9700 4.1.3',
  'dot segments': 'CVE-2024-1132',
  'encoded dot segments': 'CVE-2024-1132',
  'twice encoded dot segments': 'CVE-2022-3782',
  'dot segments behind a semicolon': 'CVE-2026-3872',
  'an encoded dot': 'CVE-2024-1132',
  'an encoded letter': 'RFC 9700 4.1.3',
  'another letter case': 'CVE-2020-15234',
  'a dot of the path replaced': 'CVE-2024-52289',
  'a trailing slash': 'RFC 9700 4.1.3',
  'another name of the loopback address': 'CVE-2024-8883, CVE-2020-15233',
} satisfies Tries;

/** Lists addresses that look like a registered one, by what they differ in. Those that do not apply are left out. */
export function listLookAlikes(registered: string): Partial<Record<keyof typeof LOOK_ALIKES, string>> {
  const { protocol, hostname, host, pathname, origin } = new URL(registered);
  const buildAddress = (other: string) => `${protocol}//${other}${pathname}`;
  const [first, ...domain] = hostname.split('.');
  const isName = !/^[\d.]+$|^\[/.test(hostname);
  const replaceDot = (text: string) => text.replace('.', 'x');
  return {
    'another host': buildAddress('unregistered.example'),
    ...(isName && domain.length > 0 ? { 'a dot of the host replaced': buildAddress(replaceDot(host)) } : {}),
    'a host that begins with the registered one': buildAddress(`${hostname}.unregistered.example`),
    ...(isName ? { 'a host that ends with the registered one': buildAddress(`unregistered-${host}`) } : {}),
    ...(isName ? { 'a subdomain': buildAddress(`evil.${host}`) } : {}),
    ...(isName ? { 'the host with www': buildAddress(`www.${host}`) } : {}),
    ...(isName && domain.length > 1 && first !== 'evil'
      ? { 'another subdomain': buildAddress(['evil', ...domain].join('.')) }
      : {}),
    ...(isLoopback(registered) ? {} : { 'another port': buildAddress(`${hostname}:8443`) }),
    'user information': buildAddress(`user@${host}`),
    'the registered host as user information': buildAddress(`${hostname}@unregistered.example`),
    'several @ before another host': buildAddress(`${hostname}@${hostname}@unregistered.example`),
    'the registered address in the path of another host': `${protocol}//unregistered.example/${host}${pathname}`,
    'the registered address in the query of another host': `${protocol}//unregistered.example/?${registered}`,
    ...(pathname === '/' ? {} : { 'the parent path': new URL('.', registered).href }),
    'an added path': `${registered.replace(/\/$/, '')}/more`,
    'an added query': `${registered}?more=1`,
    'dot segments': `${registered.replace(/\/$/, '')}/../more`,
    'encoded dot segments': `${registered.replace(/\/$/, '')}/%2e%2e/more`,
    'twice encoded dot segments': `${registered.replace(/\/$/, '')}/%252e%252e%252fmore`,
    'dot segments behind a semicolon': `${registered.replace(/\/$/, '')}/..;/more`,
    'an encoded dot': `${origin}/%2e${pathname}`,
    ...(/[a-z]/i.test(pathname) ? { 'an encoded letter': origin + encodeLetter(pathname) } : {}),
    ...(/[a-z]/.test(pathname) ? { 'another letter case': origin + pathname.toUpperCase() } : {}),
    ...(pathname.includes('.') ? { 'a dot of the path replaced': origin + replaceDot(pathname) } : {}),
    ...(pathname === '/' ? {} : { 'a trailing slash': `${registered}/` }),
    ...(isLoopback(registered)
      ? {
          'another name of the loopback address': buildAddress(
            host.replace(hostname, isName ? '127.0.0.1' : 'localhost'),
          ),
        }
      : {}),
  };
}

/** Encodes the first letter of a path. Its meaning stays the same (RFC 3986 section 2.3). */
const encodeLetter = (path: string): string =>
  path.replace(/[a-z]/i, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

/** Addresses that were taken for the loopback address of a native client. */
export const LOOPBACK_LOOK_ALIKES = {
  'another host': 'CVE-2020-15233',
  'a host that begins with the loopback address': 'CVE-2020-15233',
  'the loopback address as user information': 'CVE-2026-28512',
  'user information': 'CVE-2023-6291',
  'the loopback address in the path of another host': 'RFC 9700 4.1.3',
  'another path': 'RFC 8252 7.3',
  'an added path': 'RFC 8252 7.3',
  'an added query': 'RFC 8252 7.3',
} satisfies Tries;

/** Lists addresses that differ from a loopback address in more than the port. */
export function listLoopbackLookAlikes(registered: string): Record<keyof typeof LOOPBACK_LOOK_ALIKES, string> {
  const { hostname, pathname } = new URL(registered);
  return {
    'another host': `http://unregistered.example${pathname}`,
    'a host that begins with the loopback address': `http://${hostname}.unregistered.example:49152${pathname}`,
    'the loopback address as user information': `http://${hostname}:49152@unregistered.example${pathname}`,
    'user information': `http://user@${hostname}:49152${pathname}`,
    'the loopback address in the path of another host': `http://unregistered.example/${hostname}:49152${pathname}`,
    'another path': `http://${hostname}:49152${pathname.replace(/\/$/, '')}-of-another`,
    'an added path': `http://${hostname}:49152${pathname.replace(/\/$/, '')}/more`,
    'an added query': `http://${hostname}:49152${pathname}?more=1`,
  };
}

/** Suffixes for a registered address, for servers that read it as a pattern. */
export const CONTINUATIONS = {
  'a name appended': 'RFC 9700 4.1.3',
  'a host appended': 'RFC 9700 4.1.3',
  'an encoded slash appended': 'CVE-2022-3782',
  'a parameter of the path appended': 'CVE-2026-3872',
  'a space appended': 'RFC 9700 4.1.3',
  'an encoded NUL appended': 'RFC 9700 4.1.3',
} satisfies Tries;

/** Lists addresses that continue the last segment of a registered one. */
export const listContinuations = (registered: string): Record<keyof typeof CONTINUATIONS, string> => ({
  'a name appended': `${registered}-of-another`,
  'a host appended': `${registered}.unregistered.example`,
  'an encoded slash appended': `${registered}%2fmore`,
  'a parameter of the path appended': `${registered};more`,
  'a space appended': `${registered} `,
  'an encoded NUL appended': `${registered}%00more`,
});
