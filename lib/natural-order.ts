/** Length of a number as two characters, so that longer numbers sort after shorter ones. */
const LENGTH_DIGITS = 2;

/**
 * Converts a name to a text whose plain order is natural: numbers within the name by value, letters regardless of case.
 * `Key 9` sorts before `key 10`. Equal names differ only in case or leading zeros.
 */
export function buildNaturalKey(name: string): string {
  return name.toLowerCase().replace(/\d{1,99}/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, '');
    return String(number.length).padStart(LENGTH_DIGITS, '0') + number;
  });
}
