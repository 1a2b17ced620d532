import { styleText } from 'node:util';

type Colour = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';
export type Paint = (colour: Colour, text: string) => string;

/** True if a stream gets colours. A terminal does, unless the user disables them (no-color.org). */
export function hasColours(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if ((env.NO_COLOR ?? '') !== '') return false;
  if ((env.FORCE_COLOR ?? '') !== '') return env.FORCE_COLOR !== '0';
  return isTerminal && env.TERM !== 'dumb';
}

/** Returns a function that colours text, or one that leaves it unchanged. */
export function createPainter(colours: boolean): Paint {
  return (colour, text) => (colours && text !== '' ? styleText(colour, text, { validateStream: false }) : text);
}
