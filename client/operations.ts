import { OperationCall } from '@/client/call';
import type { TransportOptions } from '@/client/transport';

interface Client {
  readonly transport: TransportOptions;
}

/**
 * Defines a method per operation on a class, named by command: `allowlist add` is `allowlist.add`.
 * @param names each noun with its verbs, `allowlist add list,check`; a command without a verb is only the noun
 */
export function defineOperations(prototype: object, names: string): void {
  const define = (name: string, of: (client: Client) => unknown) =>
    Object.defineProperty(prototype, convertToCamelCase(name), {
      configurable: true,
      get(this: Client) {
        return of(this);
      },
    });
  for (const words of names.split(',')) {
    const [noun = '', ...verbs] = words.split(' ');
    if (verbs.length === 0) define(noun, (client) => createMethod(client, noun));
    else {
      define(noun, (client) =>
        Object.fromEntries(verbs.map((verb) => [convertToCamelCase(verb), createMethod(client, `${noun} ${verb}`)])),
      );
    }
  }
}

function createMethod({ transport }: Client, command: string) {
  return (...args: unknown[]) =>
    new OperationCall(import('@/client/operation-call').then(({ beginCall }) => beginCall(transport, command, args)));
}

/** Converts `check-batch` to `checkBatch`. */
function convertToCamelCase(word: string): string {
  return word.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
