import Bowser from 'bowser';

/** A browser as a person recognises it, such as "Firefox on Windows". The header is what the browser says of itself. */
export function deviceName(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown browser';
  const { browser, os } = Bowser.parse(userAgent);
  const name = browser.name || 'Unknown browser';
  return os.name === undefined || os.name === '' ? name : `${name} on ${os.name}`;
}
