import Bowser from 'bowser';

/** Names a browser, for example "Firefox on Windows". The header is unverified. */
export function describeDevice(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown browser';
  const { browser, os } = Bowser.parse(userAgent);
  const name = browser.name || 'Unknown browser';
  return os.name === undefined || os.name === '' ? name : `${name} on ${os.name}`;
}
